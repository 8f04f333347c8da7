// SPDX-License-Identifier: Apache-2.0
package import BrowserPolicies
internal import DeviceKeyStore
package import DeviceSettings
internal import Files
internal import FoundationEssentials
package import MDMProtocol

/// The state that management has set on the device, in the form that other parts read.
package struct MDMState: Sendable, Equatable {
    /// Whether a server manages the device.
    package let isEnrolled: Bool
    /// The settings of every installed single sign-on profile.
    package let extensions: [SSOPayload]
    /// The configuration of the worker's browser from the installed profiles.
    package let browser: BrowserConfiguration
    /// Managed apps by bundle identifier.
    package let apps: [String: ManagedApp]
    /// UUIDs of the installed profiles by identifier, including the enrollment's.
    package let profiles: [String: String]

    /// An app that management installed.
    package struct ManagedApp: Sendable, Equatable {
        package let version: String
        /// 64 hexadecimal digits.
        package let sha256: String
        /// The package's path.
        package let path: String
        package let configuration: [String: PropertyList]
    }

    /// - Throws: ``DeviceStateDamaged`` if data that was checked when it was stored can no longer be read.
    init(record: MDMRecord, apps directory: Directory) throws(DeviceStateDamaged) {
        isEnrolled = record.enrollment?.isManaged ?? false
        var profiles: [String: String] = [:]
        var extensions: [SSOPayload] = []
        var browsers: [BrowserConfiguration] = []
        for body in record.profiles.values + [record.enrollment?.credentials.profile].compactMap(\.self) {
            guard let profile = try? Profile(xml: Array(body)) else {
                throw DeviceStateDamaged(file: MDMStore.fileName)
            }
            profiles[profile.identifier] = profile.uuid
            for payload in profile.payloads {
                switch payload.content {
                case .extensibleSSO(let sso): extensions.append(sso)
                case .browser(let browser):
                    guard let configuration = try? browser.configuration() else {
                        throw DeviceStateDamaged(file: MDMStore.fileName)
                    }
                    browsers.append(configuration)
                case .enrollment, .homeScreen, .identity, .rootCertificate, .unknown: break
                }
            }
        }
        // The profile linter refuses a second browser configuration.
        guard browsers.count <= 1 else { throw DeviceStateDamaged(file: MDMStore.fileName) }
        browser = browsers.first ?? .standard
        var apps: [String: ManagedApp] = [:]
        for (identifier, app) in record.apps {
            apps[identifier] = ManagedApp(
                version: app.version, sha256: app.sha256, path: directory.path + "/" + app.path,
                configuration: try app.configurationMembers() ?? [:])
        }
        self.profiles = isEnrolled ? profiles : [:]
        self.extensions = extensions.sorted { $0.extensionIdentifier < $1.extensionIdentifier }
        self.apps = apps
    }
}

extension MDMState {
    /// The bundle id of the broker's own package.
    package static let brokerIdentifier = AppConfiguration.broker

    /// The settings and apps in the form that the broker needs.
    package var settings: ManagedSettings {
        let broker = apps[Self.brokerIdentifier]
        var settings = ManagedSettings(
            enrolled: isEnrolled, brokerManaged: broker != nil,
            profileShared: isSharedByProfile,
            appConfigurationShared: broker?.configuration.sharedDeviceMode == true,
            apps: [], installed: Set(apps.keys))
        settings.browser = browser
        do throws(SessionPolicyError) {
            settings.sessionPolicy = try SessionPolicyOverride(configuration: broker?.configuration ?? [:])
        } catch { settings.sessionPolicyError = error }
        do throws(RegistryFailure) {
            settings.rules = try AppPermissions(brokerExtensions.map(\.extensionData))
            settings.rules.blocked.formUnion(brokerExtensions.flatMap(\.deniedBundleIdentifiers))
            settings.singleSignOn = try SSOExtensionSettings(brokerExtensions)
            settings.apps = try registeredApps()
        } catch { settings.registryFailure = error }
        return settings
    }

    /// The apps whose configuration names their client.
    private func registeredApps() throws(RegistryFailure) -> [RegisteredApp] {
        var registered: [RegisteredApp] = []
        for (identifier, app) in apps.sorted(by: { $0.key < $1.key }) {
            guard case .string(let clientID) = app.configuration[PropertyKey.clientID.rawValue],
                case .string(let redirectURI) = app.configuration[PropertyKey.redirectURI.rawValue]
            else { continue }
            registered.append(
                RegisteredApp(
                    bundleID: identifier, clientID: clientID, redirectURIs: [redirectURI],
                    binding: try binding(of: identifier, app), dataFolders: try dataFolders(of: identifier, app)))
        }
        return registered
    }

    private func binding(of identifier: String, _ app: ManagedApp) throws(RegistryFailure) -> AppBinding {
        let level: String?
        switch app.configuration[PropertyKey.identityLevel.rawValue] {
        case nil: level = nil
        case .string(let name)?: level = name
        default: throw RegistryFailure(.level, identifier)
        }
        let user: UInt32?
        switch app.configuration[PropertyKey.identityUser.rawValue] {
        case nil: user = nil
        case .integer(let number)?: user = UInt32(exactly: number)
        default: user = nil
        }
        let isNamed = app.configuration[PropertyKey.identityUser.rawValue] != nil
        guard isNamed == (user != nil), let binding = AppBinding(level: level, user: user) else {
            throw RegistryFailure(.level, identifier)
        }
        return binding
    }

    private func dataFolders(of identifier: String, _ app: ManagedApp) throws(RegistryFailure) -> [DataFolder] {
        switch app.configuration[PropertyKey.dataFolders.rawValue] {
        case nil: return []
        case .array(let values)?:
            let paths = values.compactMap { value -> String? in if case .string(let path) = value { path } else { nil }
            }
            guard paths.count == values.count else {
                throw RegistryFailure(.dataFolder, identifier, detail: "not every one is a text")
            }
            return try DataFolder.list(paths, of: identifier)
        default: throw RegistryFailure(.dataFolder, identifier, detail: "they are not a list")
        }
    }

    /// The profiles for the broker's own extension.
    private var brokerExtensions: [SSOPayload] {
        extensions.filter {
            $0.extensionIdentifier == SSOPreset.microsoft2020.extensionIdentifier && $0.kind == .redirect
        }
    }

    /// Whether at least one profile for the broker's own extension turns shared mode on and none turns it off.
    private var isSharedByProfile: Bool {
        let switches = brokerExtensions.compactMap(\.sharedDeviceMode)
        return !switches.isEmpty && switches.allSatisfy(\.self)
    }
}
