// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    package struct Tenant: Codable, Sendable, Equatable {
        package let id: String
        package let displayName: String
        package let domain: String
        /// The issuer (`iss`) of the tenant's tokens.
        package let issuer: String

        package init(id: String, displayName: String, domain: String, issuer: String) {
            self.id = id
            self.displayName = displayName
            self.domain = domain
            self.issuer = issuer
        }
    }

    /// A tenant to create, with its signing key and the well-known client registrations.
    package struct NewTenant: Codable, Sendable {
        package let displayName: String
        package let domain: String

        package init(displayName: String, domain: String) {
            self.displayName = displayName
            self.domain = domain
        }
    }

    /// The look of a tenant's pages. Nil values mean the default look.
    package struct Branding: Codable, Sendable, Equatable {
        /// The colour of buttons, `#RRGGBB`.
        package let colour: String?
        /// A PNG or JPEG file of at most 256 KiB, in Base64.
        package let logo: String?

        package init(colour: String?, logo: String?) { (self.colour, self.logo) = (colour, logo) }
    }

    /// The counts of a tenant's objects, so that an administrator knows what removing the tenant deletes.
    package struct TenantHoldings: Codable, Sendable, Equatable {
        package let users: Int
        package let groups: Int
        package let clients: Int
        package let sessions: Int
        /// Devices registered in the directory.
        package let devices: Int
        package let management: ManagedHoldings

        package init(
            users: Int, groups: Int, clients: Int, sessions: Int, devices: Int, management: ManagedHoldings
        ) {
            (self.users, self.groups, self.clients) = (users, groups, clients)
            (self.sessions, self.devices, self.management) = (sessions, devices, management)
        }
    }

    /// The numbers of objects that device management stores for a tenant.
    package struct ManagedHoldings: Codable, Sendable, Equatable {
        /// Devices that have not left.
        package let devices: Int
        /// Enrollment profiles that a device can still use.
        package let enrollmentProfiles: Int
        package let profiles: Int
        package let apps: Int

        package init(devices: Int, enrollmentProfiles: Int, profiles: Int, apps: Int) {
            (self.devices, self.enrollmentProfiles) = (devices, enrollmentProfiles)
            (self.profiles, self.apps) = (profiles, apps)
        }
    }

    /// One line of the audit log; `time` is in milliseconds since 1970.
    package struct AuditEntry: Codable, Sendable, Equatable {
        package let position: Int64
        package let time: Int64
        package let actor: String
        package let action: String
        package let subject: String?
        package let outcome: String
        /// How often the event happened. Equal events within ten minutes share one line.
        package let repetitions: Int64
        /// How the person signed in: `page`, `password`, `prt` or `device-code`.
        package let method: String?
        /// More about the action.
        package let detail: String?
        /// The id of the request.
        package let correlation: String?
        /// The address of the client whose request caused the event; nil for an event without a request over the
        /// network, and for a line that counts events of many addresses.
        package let clientAddress: String?

        package init(
            position: Int64, time: Int64, actor: String, action: String, subject: String?, outcome: String,
            repetitions: Int64, method: String?, detail: String?, correlation: String?, clientAddress: String?
        ) {
            self.position = position
            self.time = time
            self.actor = actor
            self.action = action
            self.subject = subject
            self.outcome = outcome
            self.repetitions = repetitions
            self.method = method
            self.detail = detail
            self.correlation = correlation
            self.clientAddress = clientAddress
        }
    }
}
