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

    /// A configuration value as JSON. A Boolean is never decoded as a number.
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
