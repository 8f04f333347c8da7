// SPDX-License-Identifier: Apache-2.0

/// A command from the server to a device.
package enum Command: Hashable, Sendable {
    /// Installs a profile, given as exactly the bytes that were checked.
    case installProfile([UInt8])
    case removeProfile(identifier: String)
    case profileList(managedOnly: Bool)
    case settings([Setting])
    case installApplication(InstallApplication)
    /// Lists the managed apps with these identifiers; nil means all managed apps.
    case managedApplicationList(identifiers: [String]?)
    case deviceInformation(queries: [String])
    /// A request type that Baton's devices do not support.
    case unknown(requestType: String)

    /// The request types that Baton supports.
    package enum RequestType: String, Sendable {
        case installProfile = "InstallProfile"
        case removeProfile = "RemoveProfile"
        case profileList = "ProfileList"
        case settings = "Settings"
        case installApplication = "InstallApplication"
        case managedApplicationList = "ManagedApplicationList"
        case deviceInformation = "DeviceInformation"
    }

    /// The request type's name in the protocol.
    package var requestType: String {
        switch self {
        case .installProfile: RequestType.installProfile.rawValue
        case .removeProfile: RequestType.removeProfile.rawValue
        case .profileList: RequestType.profileList.rawValue
        case .settings: RequestType.settings.rawValue
        case .installApplication: RequestType.installApplication.rawValue
        case .managedApplicationList: RequestType.managedApplicationList.rawValue
        case .deviceInformation: RequestType.deviceInformation.rawValue
        case .unknown(let requestType): requestType
        }
    }

    /// One item of a Settings command.
    package enum Setting: Hashable, Sendable {
        /// Replaces a managed app's configuration; nil removes the configuration.
        case applicationConfiguration(identifier: String, configuration: [String: PropertyList]?)
        case unknown(item: String)

        static let applicationConfigurationName = "ApplicationConfiguration"

        /// The item's name in the protocol.
        package var item: String {
            switch self {
            case .applicationConfiguration: Self.applicationConfigurationName
            case .unknown(let item): item
            }
        }
    }

    /// Installs or updates an app from a manifest, and replaces the app's configuration. If `configuration` is nil,
    /// removes the existing configuration.
    package struct InstallApplication: Hashable, Sendable {
        package var manifestURL: String
        package var managementFlags: ManagementFlags
        package var configuration: [String: PropertyList]?

        package init(
            manifestURL: String, managementFlags: ManagementFlags = .removeWithManagement,
            configuration: [String: PropertyList]? = nil
        ) {
            self.manifestURL = manifestURL
            self.managementFlags = managementFlags
            self.configuration = configuration
        }
    }
}

/// How a managed app is handled.
package struct ManagementFlags: OptionSet, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// The app is removed together with the enrollment.
    package static let removeWithManagement = ManagementFlags(rawValue: 1)
    package static let noBackup = ManagementFlags(rawValue: 4)
}
