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
        /// The interface through which an administrator acted: `socket`, `https` or `graph`; nil for other events.
        package let interface: String?

        package init(
            position: Int64, time: Int64, actor: String, action: String, subject: String?, outcome: String,
            repetitions: Int64, method: String?, detail: String?, correlation: String?, clientAddress: String?,
            interface: String?
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
            self.interface = interface
        }
    }
}

/// The operations on tenants, their look and their audit logs.
extension IdentityAdmin {
    package static let listTenants = Endpoint<Empty, [Tenant]>(
        "listTenants", .get("/identity/tenants"),
        by: .serverOnly, effect: .reading,
        summary: "Lists the tenants.")

    package static let addTenant = Endpoint<NewTenant, Tenant>(
        "addTenant", .post("/identity/tenants"), status: 201,
        by: .serverOnly, effect: .change("tenant.add"),
        errors: ["identity.display.name", "identity.domain.malformed", "identity.name.taken"],
        summary: "Adds a tenant with its signing keys and the well-known clients.")

    package static let getTenant = Endpoint<Empty, Tenant>(
        "getTenant", .get("/identity/tenants/{tenant}"),
        by: .roles(.globalAdministrator, .globalReader, permission: "Organization.Read.All"),
        effect: .reading,
        summary: "Returns a tenant.")

    package static let getTenantHoldings = Endpoint<Empty, TenantHoldings>(
        "getTenantHoldings", .get("/identity/tenants/{tenant}/holdings"),
        by: .roles(.globalAdministrator, .globalReader, permission: "Organization.Read.All"),
        effect: .reading,
        summary: "Counts a tenant's objects, which its removal deletes.")

    package static let removeTenant = Endpoint<Empty, TenantHoldings>(
        "removeTenant", .delete("/identity/tenants/{tenant}"),
        by: .serverOnly, effect: .danger("tenant.remove", "mdm.tenant.remove"),
        errors: ["identity.tenant.inUse", "identity.tenant.unnamed"],
        summary: "Removes a tenant and returns the numbers of removed objects.",
        details: "The audit log is kept and can be read with the tenant's id. Refused while the tenant has a "
            + "device, or an enrollment profile that a device can still use. `-` is not accepted as the "
            + "tenant. Package files stay in the server's folder.")

    package static let getBranding = Endpoint<Empty, Branding>(
        "getBranding", .get("/identity/tenants/{tenant}/branding"),
        by: .roles(.globalAdministrator, .globalReader, permission: "Organization.Read.All"),
        effect: .reading,
        summary: "Returns the look of the tenant's pages.")

    package static let setBranding = Endpoint<Branding, Empty>(
        "setBranding", .put("/identity/tenants/{tenant}/branding"),
        by: .roles(.globalAdministrator, permission: "Organization.ReadWrite.All"),
        effect: .change("branding.set"),
        errors: ["identity.branding.colour", "identity.branding.logo"],
        summary: "Sets the look of the tenant's pages.",
        details: "`colour` is `#RRGGBB`, `logo` a PNG or JPEG file of at most 256 KiB in Base64; a member that is "
            + "null or missing means the default look.")

    package static let listAuditEntries = Endpoint<Empty, [AuditEntry]>(
        "listAuditEntries", .get("/identity/tenants/{tenant}/audit"), query: [.count],
        by: .roles(.globalAdministrator, .globalReader, .reportsReader, permission: "AuditLog.Read.All"),
        effect: .reading,
        summary: "Lists the latest lines of the audit log, the oldest first.",
        details: "The tenant can be a removed one, by its id.")

    package static let exportAuditEntries = Endpoint<Empty, Export>(
        "exportAuditEntries", .get("/identity/tenants/{tenant}/audit/export"), query: [.from, .to],
        by: .roles(.globalAdministrator, .globalReader, .reportsReader, permission: "AuditLog.Read.All"),
        effect: .recordedReading(audit: "audit.export"),
        summary: "Exports the lines of a period of the audit log, the oldest first.",
        details: "The tenant can be a removed one, by its id.")
}
