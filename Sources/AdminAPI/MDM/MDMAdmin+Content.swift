// SPDX-License-Identifier: Apache-2.0

extension MDMAdmin {
    /// A profile to store for pushing: a complete file, `{"file":Base64}`, or a profile that the server builds,
    /// `{"sharedDevice":{"urls":[…]}}`.
    package enum NewProfile: Codable, Sendable, Equatable {
        /// A profile's XML, Base64.
        case file(String)
        /// The single sign-on profile of shared device mode, with the organisation's own sign-in URLs added.
        case sharedDevice(urls: [String])

        private enum CodingKeys: String, CodingKey { case file, sharedDevice }

        private struct SharedDevice: Codable { let urls: [String] }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            guard container.allKeys.count == 1 else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "either file or sharedDevice"))
            }
            if container.contains(.file) {
                self = .file(try container.decode(String.self, forKey: .file))
            } else {
                self = .sharedDevice(urls: try container.decode(SharedDevice.self, forKey: .sharedDevice).urls)
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .file(let text): try container.encode(text, forKey: .file)
            case .sharedDevice(let urls): try container.encode(SharedDevice(urls: urls), forKey: .sharedDevice)
            }
        }
    }

    package struct Profile: Codable, Sendable, Equatable {
        package let identifier: String
        package let uuid: String
        package let displayName: String?
        /// Warnings from the linter.
        package let warnings: [String]
        /// In the response to an upload: `added`, `replaced`, or `unchanged` if the same profile was already there.
        package let outcome: String?

        package init(identifier: String, uuid: String, displayName: String?, warnings: [String], outcome: String? = nil)
        {
            self.identifier = identifier
            self.uuid = uuid
            self.displayName = displayName
            self.warnings = warnings
            self.outcome = outcome
        }
    }

    /// A package file on the server's machine, to offer to devices.
    package struct NewApp: Codable, Sendable {
        package var path: String
        package var bundleIdentifier: String
        package var version: String
        package var title: String

        package init(path: String, bundleIdentifier: String, version: String, title: String) {
            self.path = path
            self.bundleIdentifier = bundleIdentifier
            self.version = version
            self.title = title
        }
    }

    package struct App: Codable, Sendable, Equatable {
        package let bundleIdentifier: String
        package let version: String
        package let title: String
        package let size: Int64
        /// 64 hexadecimal digits.
        package let sha256: String
        /// Milliseconds since 1970.
        package let addedAt: Int64

        package init(
            bundleIdentifier: String, version: String, title: String, size: Int64, sha256: String, addedAt: Int64
        ) {
            self.bundleIdentifier = bundleIdentifier
            self.version = version
            self.title = title
            self.size = size
            self.sha256 = sha256
            self.addedAt = addedAt
        }
    }

    /// An app to install on a device. Without a version, the version that was added last is installed.
    package struct PushedApp: Codable, Sendable {
        package var version: String?
        /// Replaces the app's configuration; nil removes it.
        package var configuration: Configuration?

        package init(version: String? = nil, configuration: Configuration? = nil) {
            self.version = version
            self.configuration = configuration
        }
    }

    /// A managed app's configuration.
    package typealias Configuration = [String: Value]

    /// A configuration value as JSON. A Boolean is never decoded as a number. Numbers beyond 64 bits are refused, because a
    /// device could not get them unchanged.
    package enum Value: Codable, Sendable, Hashable {
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        case string(String)
        case array([Value])
        case dictionary([String: Value])

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Bool.self) {
                self = .boolean(value)
            } else if let value = try? container.decode(Int64.self) {
                self = .integer(value)
            } else if let value = try? container.decode(Double.self) {
                // A larger integer would arrive at the device as a real number, and as another one.
                guard value.magnitude < 0x1p63 else {
                    throw DecodingError.dataCorruptedError(in: container, debugDescription: "the number is too large")
                }
                self = .real(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([Value].self) {
                self = .array(value)
            } else {
                self = .dictionary(try container.decode([String: Value].self))
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .boolean(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .real(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .array(let value): try container.encode(value)
            case .dictionary(let value): try container.encode(value)
            }
        }
    }
}

/// The operations on profiles and apps.
extension MDMAdmin {
    package static let listProfiles = Endpoint<Empty, [Profile]>(
        "listProfiles", .get("/mdm/tenants/{tenant}/profiles"), query: QueryParameter.pagingByName,
        by: .roles(
            .globalAdministrator, .globalReader, .intuneAdministrator,
            permission: "DeviceManagementConfiguration.Read.All"),
        effect: .reading,
        summary: "Lists the profiles.")

    package static let addProfile = Endpoint<NewProfile, Profile>(
        "addProfile", .post("/mdm/tenants/{tenant}/profiles"),
        query: [.replace],
        status: 201,
        by: .roles(
            .globalAdministrator, .intuneAdministrator, permission: "DeviceManagementConfiguration.ReadWrite.All"),
        effect: .change("mdm.profile.add"),
        errors: ["mdm.profile.taken", "mdm.profile.refused", "mdm.profile.signature", "mdm.tenant.malformed"],
        summary: "Adds a profile that can be pushed to devices.",
        details: "The outcome is `added`, `unchanged` or, only with `replace=true`, `replaced`. The signature of "
            + "a signed profile (CMS) is checked and removed; a warning names the signer.")

    package static let removeProfile = Endpoint<Empty, Empty>(
        "removeProfile", .delete("/mdm/tenants/{tenant}/profiles/{profile}"),
        by: .roles(
            .globalAdministrator, .intuneAdministrator, permission: "DeviceManagementConfiguration.ReadWrite.All"),
        effect: .change("mdm.profile.remove"),
        errors: ["mdm.profile.missing"],
        summary: "Removes a profile; devices that have it keep it until it is removed from each.")

    package static let installProfile = Endpoint<Empty, Command>(
        "installProfile", .put("/mdm/tenants/{tenant}/devices/{device}/profiles/{profile}"), status: 202,
        by: .roles(
            .globalAdministrator, .intuneAdministrator, permission: "DeviceManagementConfiguration.ReadWrite.All"),
        effect: .change("mdm.command.queue"),
        errors: ["mdm.device.notEnrolled", "mdm.queue.full", "mdm.profile.missing", "mdm.profile.refused"],
        summary: "Queues the installation of a profile on a device.")

    package static let uninstallProfile = Endpoint<Empty, Command>(
        "uninstallProfile", .delete("/mdm/tenants/{tenant}/devices/{device}/profiles/{profile}"), status: 202,
        by: .roles(
            .globalAdministrator, .intuneAdministrator, permission: "DeviceManagementConfiguration.ReadWrite.All"),
        effect: .change("mdm.command.queue"),
        errors: ["mdm.device.notEnrolled", "mdm.queue.full"],
        summary: "Queues the removal of a profile from a device.")

    package static let listApps = Endpoint<Empty, [App]>(
        "listApps", .get("/mdm/tenants/{tenant}/apps"), query: QueryParameter.pagingByName,
        by: .roles(
            .globalAdministrator, .globalReader, .intuneAdministrator, permission: "DeviceManagementApps.Read.All"),
        effect: .reading,
        summary: "Lists the app packages.")

    package static let addApp = Endpoint<NewApp, App>(
        "addApp", .post("/mdm/tenants/{tenant}/apps"), status: 201,
        by: .serverOnly, effect: .change("mdm.app.offer"),
        errors: [
            "mdm.app.name", "mdm.package.unreadable", "mdm.package.kind", "mdm.package.tooLarge", "mdm.package.store",
        ],
        summary: "Adds an app package from a file on the server's machine.",
        details: "`path` is a file that the server's user can read. It must be a Linux program (ELF); devices "
            + "install nothing else.")

    package static let installApp = Endpoint<PushedApp, Command>(
        "installApp", .put("/mdm/tenants/{tenant}/devices/{device}/apps/{app}"), status: 202,
        by: .roles(.globalAdministrator, .intuneAdministrator, permission: "DeviceManagementApps.ReadWrite.All"),
        effect: .change("mdm.command.queue"),
        errors: ["mdm.device.notEnrolled", "mdm.queue.full", "mdm.app.missing", "mdm.app.configuration"],
        summary: "Queues the installation of an app on a device, with its configuration.",
        details: "Without `version`, the version that was added last is installed. Without `configuration`, the "
            + "app's current configuration is removed.")

    package static let configureApp = Endpoint<Configuration, Command>(
        "configureApp", .put("/mdm/tenants/{tenant}/devices/{device}/apps/{app}/configuration"), status: 202,
        by: .roles(.globalAdministrator, .intuneAdministrator, permission: "DeviceManagementApps.ReadWrite.All"),
        effect: .change("mdm.command.queue"),
        errors: ["mdm.device.notEnrolled", "mdm.queue.full", "mdm.app.configuration"],
        summary: "Queues the replacement of an app's configuration on a device.")

    package static let removeAppConfiguration = Endpoint<Empty, Command>(
        "removeAppConfiguration", .delete("/mdm/tenants/{tenant}/devices/{device}/apps/{app}/configuration"),
        status: 202,
        by: .roles(.globalAdministrator, .intuneAdministrator, permission: "DeviceManagementApps.ReadWrite.All"),
        effect: .change("mdm.command.queue"),
        errors: ["mdm.device.notEnrolled", "mdm.queue.full"],
        summary: "Queues the removal of an app's configuration from a device.")
}
