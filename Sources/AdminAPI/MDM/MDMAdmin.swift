// SPDX-License-Identifier: Apache-2.0
package import Redaction

/// Device management's part of the administration socket. Bodies are JSON; lists are JSON arrays.
///
/// In paths, objects are named by the rule of ``ObjectName``, percent-encoded; `-` is the only tenant.
package enum MDMAdmin {
    /// Every operation of device management.
    package static let operations: [AdminOperation] = [
        listEnrollments.operation, addEnrollment.operation, revokeEnrollment.operation,
        listManagedDevices.operation, getManagedDevice.operation, unenrollDevice.operation,
        listCommands.operation, queryInventory.operation,
        listProfiles.operation, addProfile.operation, removeProfile.operation, installProfile.operation,
        uninstallProfile.operation, listApps.operation, addApp.operation, installApp.operation,
        configureApp.operation, removeAppConfiguration.operation,
        listManagementAuditEntries.operation, exportManagementAuditEntries.operation,
    ]

    /// An enrollment profile to create for one device.
    package struct NewEnrollment: Codable, Sendable {
        /// The device's name for administrators.
        package var name: String
        /// A name of the device under management that may use the profile even while it is enrolled (``ObjectName``).
        /// No other enrolled device can use the profile.
        package var takesOver: String?

        package init(name: String, takesOver: String? = nil) {
            self.name = name
            self.takesOver = takesOver
        }
    }

    /// An identity that the server created for a device, without its key.
    package struct Enrollment: Codable, Sendable, Equatable {
        package let id: String
        package let name: String
        /// `issued` (no device has used the profile), `bound`, or `renewing` (sent to its device, not yet in use).
        package let state: String
        package let udid: String?
        /// Milliseconds since 1970.
        package let createdAt: Int64
        /// When the profile expires if no device uses it; after the first use, when the identity expires.
        package let expiresAt: Int64

        package init(id: String, name: String, state: String, udid: String?, createdAt: Int64, expiresAt: Int64) {
            self.id = id
            self.name = name
            self.state = state
            self.udid = udid
            self.createdAt = createdAt
            self.expiresAt = expiresAt
        }
    }

    package struct EnrollmentProfile: Codable, Sendable, SecretReply {
        package let id: String
        package let name: String
        /// The profile, Base64. It contains the device's key and works once, for one device.
        package let profile: Sensitive<String>

        package init(id: String, name: String, profile: Sensitive<String>) {
            self.id = id
            self.name = name
            self.profile = profile
        }
    }

    package struct Device: Codable, Sendable, Equatable {
        package let udid: String
        package let name: String
        /// `authenticated`, `enrolled` or `left`.
        package let state: String
        package let productName: String?
        package let osVersion: String?
        package let serialNumber: String?
        /// The profiles and apps in the device's last inventory.
        package let profiles: [HeldProfile]
        package let apps: [HeldApp]
        /// Number of commands waiting for the device.
        package let waiting: Int
        /// When the device's identity expires, in milliseconds since 1970; nil if the device has none.
        package let identityEndsAt: Int64?

        package init(
            udid: String, name: String, state: String, productName: String?, osVersion: String?, serialNumber: String?,
            profiles: [HeldProfile], apps: [HeldApp], waiting: Int, identityEndsAt: Int64?
        ) {
            self.udid = udid
            self.name = name
            self.state = state
            self.productName = productName
            self.osVersion = osVersion
            self.serialNumber = serialNumber
            self.profiles = profiles
            self.apps = apps
            self.waiting = waiting
            self.identityEndsAt = identityEndsAt
        }
    }

    package struct HeldProfile: Codable, Sendable, Equatable {
        package let identifier: String
        package let uuid: String

        package init(identifier: String, uuid: String) {
            self.identifier = identifier
            self.uuid = uuid
        }
    }

    package struct HeldApp: Codable, Sendable, Equatable {
        package let identifier: String
        /// Apple's name for the state, such as `Managed` or `Failed`.
        package let state: String
        package let hasConfiguration: Bool

        package init(identifier: String, state: String, hasConfiguration: Bool) {
            self.identifier = identifier
            self.state = state
            self.hasConfiguration = hasConfiguration
        }
    }

    /// A command and its result.
    package struct Command: Codable, Sendable, Equatable {
        package let uuid: String
        package let requestType: String
        /// The profile or app that the command concerns. An app is named with its version.
        package let subject: String?
        /// `queued`, `sent`, `notNow`, `acknowledged`, `error`, `formatError` or `dropped`.
        package let state: String
        /// Milliseconds since 1970.
        package let enqueuedAt: Int64
        package let finishedAt: Int64?
        /// The reasons that the device gave for failures, including failures of individual items of an acknowledged
        /// command.
        package let errors: [Reason]

        package init(
            uuid: String, requestType: String, subject: String? = nil, state: String, enqueuedAt: Int64,
            finishedAt: Int64?, errors: [Reason]
        ) {
            self.uuid = uuid
            self.requestType = requestType
            self.subject = subject
            self.state = state
            self.enqueuedAt = enqueuedAt
            self.finishedAt = finishedAt
            self.errors = errors
        }

        package struct Reason: Codable, Sendable, Equatable {
            package let code: Int64
            package let domain: String
            package let message: String

            package init(code: Int64, domain: String, message: String) {
                self.code = code
                self.domain = domain
                self.message = message
            }
        }
    }
}
