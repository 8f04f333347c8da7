// SPDX-License-Identifier: Apache-2.0

/// Whether workers share the device, worked out anew each time from what the MDM and the join say; never stored.
package enum DeviceMode: Sendable, Codable, Equatable {
    /// Every switch says shared, and the device is joined.
    case shared
    /// No switch says shared.
    case personal
    /// Something says shared and something is missing: not shared yet, and not personal either.
    case incomplete(Missing)

    /// What stands between the device and shared mode, in the order in which an administrator mends it.
    package enum Missing: String, Sendable, Codable, CaseIterable {
        case brokerPackage, profile, appConfiguration, join
    }

    /// What the parts say.
    package struct Switches: Sendable, Equatable {
        /// The MDM installed the broker package.
        package var brokerManaged: Bool
        /// The extensible-SSO profile says `sharedDeviceMode`.
        package var profile: Bool
        /// The broker's app configuration says `sharedDeviceMode`.
        package var appConfiguration: Bool
        package var joined: Bool

        package init(brokerManaged: Bool, profile: Bool, appConfiguration: Bool, joined: Bool) {
            self.brokerManaged = brokerManaged
            self.profile = profile
            self.appConfiguration = appConfiguration
            self.joined = joined
        }
    }

    /// Judges the switches.
    package init(_ switches: Switches) {
        guard switches.profile || switches.appConfiguration else {
            self = .personal
            return
        }
        if !switches.brokerManaged {
            self = .incomplete(.brokerPackage)
        } else if !switches.profile {
            self = .incomplete(.profile)
        } else if !switches.appConfiguration {
            self = .incomplete(.appConfiguration)
        } else if !switches.joined {
            self = .incomplete(.join)
        } else {
            self = .shared
        }
    }

    /// `shared`, `personal` or `incomplete`.
    package var name: String {
        switch self {
        case .shared: "shared"
        case .personal: "personal"
        case .incomplete: "incomplete"
        }
    }

    /// A stable code for apps, administrators and tests.
    package var reason: String {
        switch self {
        case .shared: "shared"
        case .personal: "not_configured"
        case .incomplete(.brokerPackage): "broker_package_missing"
        case .incomplete(.profile): "profile_missing"
        case .incomplete(.appConfiguration): "app_configuration_missing"
        case .incomplete(.join): "not_joined"
        }
    }

    /// What an administrator does next; nil where nothing is missing.
    package var remedy: String? {
        switch self {
        case .shared: nil
        case .personal: "Push the SSO profile and the app configuration with sharedDeviceMode through the MDM."
        case .incomplete(.brokerPackage): "Push the broker package (org.baton.authenticator) through the MDM."
        case .incomplete(.profile): "Push the SSO profile with sharedDeviceMode through the MDM."
        case .incomplete(.appConfiguration): "Configure the broker package with sharedDeviceMode through the MDM."
        case .incomplete(.join): "Let a Cloud Device Administrator run: baton device join."
        }
    }
}
