// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import DeviceManagement
internal import FoundationEssentials

/// Everything that management made of the device, in one file that is replaced whole: the effect of a command and the
/// result that reports it can never part.
package struct ManagementRecord: Codable, Sendable, Equatable {
    /// The device's name towards its server; made once, kept for good, tied to no person.
    var udid: String
    var enrollment: Enrollment?
    /// Profiles by top-level identifier.
    var profiles: [String: Data] = [:]
    /// Managed apps by bundle identifier.
    var apps: [String: App] = [:]
    /// Apps whose installation failed and whose failure has not been listed yet.
    var failedApps: Set<String> = []
    /// The result of the last command; sent again, byte for byte, until the server has it.
    var lastResult: LastResult?

    struct Enrollment: Codable, Sendable, Equatable {
        /// Where the enrollment stands.
        enum Stage: String, Codable {
            /// The server may or may not know of it.
            case authenticating
            case enrolled
            /// To be removed as soon as the last result is delivered.
            case leaving
        }

        var credentials: EnrollmentCredentials
        var stage: Stage
        /// What the device has while its server has not confirmed the credentials in its place.
        var former: EnrollmentCredentials?

        /// Whether a server manages the device, also while it moves from one credentials to the next.
        var isManaged: Bool { stage != .authenticating || former != nil }

        /// The credentials by which the server knows the device.
        var confirmed: EnrollmentCredentials? { stage == .authenticating ? former : credentials }
    }

    /// What the device got from its server to enroll with.
    struct EnrollmentCredentials: Codable, Sendable, Equatable {
        /// The enrollment profile without its key.
        let profile: Data
        /// The file that has the key and its certificate; see ``ManagementStore``.
        let identity: String
    }

    struct App: Codable, Sendable, Equatable {
        let version: String
        /// 64 hexadecimal digits.
        let sha256: String
        /// Where the package is, below the folder of apps.
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

    /// The record of a device that is not enrolled any more.
    var cleared: ManagementRecord { ManagementRecord(udid: udid) }
}

extension ManagementRecord.App {
    /// - Throws: ``DeviceStateDamaged`` where the stored configuration cannot be read.
    func configurationMembers() throws(DeviceStateDamaged) -> [String: PropertyList]? {
        guard let configuration else { return nil }
        guard case .dictionary(let members)? = try? PropertyList(xml: Array(configuration)) else {
            throw DeviceStateDamaged(file: ManagementStore.fileName)
        }
        return members
    }
}
