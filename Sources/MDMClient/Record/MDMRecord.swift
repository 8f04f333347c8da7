// SPDX-License-Identifier: Apache-2.0
internal import DeviceKeyStore
internal import FoundationEssentials
internal import MDMProtocol

/// Everything that management set on the device, in one file that is replaced as a whole. The effect of a command and
/// the result that reports it are therefore always written together.
package struct MDMRecord: Codable, Sendable, Equatable {
    /// The id that identifies the device to the server. It is made once, never changes, and is not tied to a person.
    var udid: String
    var enrollment: Enrollment?
    /// Profiles by top-level identifier.
    var profiles: [String: Data] = [:]
    /// Managed apps by bundle identifier.
    var apps: [String: App] = [:]
    /// Apps whose installation failed, until the failure has been listed once.
    var failedApps: Set<String> = []
    /// The result of the last command. It is sent again, byte for byte, until the server has it.
    var lastResult: LastResult?

    struct Enrollment: Codable, Sendable, Equatable {
        /// The stage of the enrollment.
        enum Stage: String, Codable {
            /// The server may or may not have recorded the enrollment.
            case authenticating
            case enrolled
            /// The enrollment is removed as soon as the last result is delivered.
            case leaving
        }

        var credentials: EnrollmentCredentials
        var stage: Stage
        /// The previous credentials, until the server has confirmed the new credentials.
        var former: EnrollmentCredentials?

        /// Whether a server manages the device; also true during a change of credentials.
        var isManaged: Bool { stage != .authenticating || former != nil }

        /// The credentials that the server has confirmed.
        var confirmed: EnrollmentCredentials? { stage == .authenticating ? former : credentials }
    }

    /// The credentials that the device got from its server for the enrollment.
    struct EnrollmentCredentials: Codable, Sendable, Equatable {
        /// The enrollment profile without its key.
        let profile: Data
        /// The file with the key and its certificate; see ``MDMStore``.
        let identity: String
    }

    struct App: Codable, Sendable, Equatable {
        let version: String
        /// 64 hexadecimal digits.
        let sha256: String
        /// The package's path, relative to the folder of apps.
        let path: String
        let flags: Int64
        /// A property list.
        var configuration: Data?
    }

    struct LastResult: Codable, Sendable, Equatable {
        let commandUUID: String
        let status: CommandResult.Status
        let body: Data
        var isDelivered: Bool
    }

    /// The record of a device that is no longer enrolled.
    var cleared: MDMRecord { MDMRecord(udid: udid) }
}

extension MDMRecord.App {
    /// - Throws: ``DeviceStateDamaged`` if the stored configuration cannot be read.
    func configurationMembers() throws(DeviceStateDamaged) -> [String: PropertyList]? {
        guard let configuration else { return nil }
        guard case .dictionary(let members)? = try? PropertyList(xml: Array(configuration)) else {
            throw DeviceStateDamaged(file: MDMStore.fileName)
        }
        return members
    }
}
