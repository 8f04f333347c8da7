// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import AdminServer
internal import OAuth
package import Storage
internal import WebPages

/// Administrative acts on organisations, their signing keys and their rules.
package struct TenantAdministration: Sendable {
    let transactions: AdminTransactions
    let keys: TenantKeys
    let rotation: KeyRotation
    /// The tenants' device management; nil if the server does not manage devices.
    let management: TenantNeighbour?

    /// Creates an organisation with signing keys and the well-known clients.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func add(displayName: String, domain: String) async throws -> Tenant {
        let domain = domain.lowercased()
        try NameRules.check(displayName: displayName)
        guard NameRules.isDomain(domain) else { throw AdminRefusal.badDomain.naming("\(domain) is not a host name.") }
        let tenant = Tenant(
            id: transactions.environment.identifier(), displayName: displayName, domain: domain,
            pairwiseSalt: transactions.environment.randomBytes(32))
        let time = transactions.environment.now()
        let made = try await refusingWhileBusy {
            try await rotation.hashing.run { [environment = transactions.environment] in
                try KeySchedule.algorithms.map { try TenantKey.generate($0, created: time, signs: time, environment) }
            }
        }
        try await transactions.write { act in
            try Tenants(act.connection).add(tenant, at: act.now)
            for (key, stored) in made { try keys.add(key, stored: stored, tenant: tenant.id, act.connection) }
            for client in WellKnownClient.ofEveryTenant {
                try Clients(act.connection).add(client.registration(in: tenant.id), at: act.now)
            }
            try act.record(.tenantAdded, of: tenant.id, subject: tenant.id.rawValue)
        }
        return tenant
    }

    /// Returns the number of an organisation's objects in the directory and in device management.
    ///
    /// - Throws: ``StorageError``
    package func holdings(of tenant: Tenant) async throws -> IdentityAdmin.TenantHoldings {
        let managed = try await management?.holdings(tenant.id)
        let own = try await transactions.database.read { try Tenants($0).holdings(of: tenant.id) }
        return IdentityAdmin.TenantHoldings(own, managed)
    }

    /// Removes an organisation together with its people, groups, clients, sessions, keys, profiles and apps. Its audit
    /// log is kept. The removal is refused while the organisation has a device or an unused enrollment profile, because
    /// that device or profile would be left without a server.
    ///
    /// - Returns: the number of objects that were removed.
    /// - Throws: ``NamedRefusal``, ``StorageError``
    package func remove(_ tenant: Tenant) async throws -> IdentityAdmin.TenantHoldings {
        let managed = try await management?.holdings(tenant.id)
        let removed = try await transactions.write { act in
            let holdings = IdentityAdmin.TenantHoldings(try Tenants(act.connection).holdings(of: tenant.id), managed)
            guard holdings.orphans.isEmpty else {
                throw AdminRefusal.tenantInUse.naming(
                    "\(tenant.domain) still has \(holdings.orphans.joined(separator: ", ")).",
                    "Remove them first: baton admin device remove, device unenroll, enrollment revoke, each with "
                        + "--tenant \(tenant.domain).")
            }
            try Tenants(act.connection).remove(tenant.id, at: act.now)
            try IdempotencyKeys.forget(tenant.id, in: act.connection)
            try act.record(.tenantRemoved, of: tenant.id, subject: tenant.id.rawValue, detail: tenant.domain)
            return holdings
        }
        // If this fails, `MDMLink` in baton-server later removes what device management still stores.
        try await management?.remove(tenant.id)
        return removed
    }

    /// Gives an organisation new signing keys for both algorithms (``KeySchedule``).
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func rotateKeys(of tenant: Tenant, immediately: Bool = false) async throws {
        let now = transactions.environment.now()
        let check = { @Sendable (starts: [KeyStart]) throws in
            guard immediately || !KeySchedule.isPending(starts, at: now) else { throw AdminRefusal.rotationPending }
            return KeySchedule.algorithms
        }
        // Generating keys takes a long time. This check refuses the request before any key is generated.
        _ = try check(try await keys.all(of: tenant.id).map(\.start))
        _ = try await refusingWhileBusy {
            try await rotation.rotate(
                KeySchedule.algorithms, of: tenant.id, immediately: immediately, by: transactions.actor.name,
                where: check)
        }
    }

    /// Sets who may join or register personal devices, and how many personal devices each person may have.
    ///
    /// - Throws: ``StorageError``
    package func setDeviceRegistrationRules(_ rules: DeviceRegistrationRules, tenant: Tenant) async throws {
        try await changeDeviceRegistrationRules(of: tenant) { $0 = rules }
    }

    /// Changes who may join or register personal devices, or how many personal devices each person may have.
    ///
    /// - Parameter change: changes the present rules, as read in the transaction of the change.
    /// - Returns: the new rules.
    /// - Throws: ``StorageError``
    @discardableResult
    func changeDeviceRegistrationRules(
        of tenant: Tenant, _ change: @escaping @Sendable (inout DeviceRegistrationRules) -> Void
    ) async throws -> DeviceRegistrationRules {
        try await transactions.write { act in
            let former = try DeviceRegistrationRules.of(tenant.id, act.connection) ?? .standard
            var rules = former
            change(&rules)
            guard rules != former else { return rules }
            try rules.keep(for: tenant.id, act.connection)
            try act.record(.deviceRulesSet, of: tenant.id)
            return rules
        }
    }

    /// Replaces the logo and the colour of the organisation's pages. A nil value removes the logo or the colour.
    ///
    /// - Throws: ``StorageError``
    func setBranding(colour: String?, logo: PageImage?, tenant: Tenant) async throws {
        try await transactions.write { act in
            let brandings = Brandings(act.connection)
            let (colourBefore, logoBefore) = (
                try brandings.find(tenant.id)?.colour, try brandings.logo(of: tenant.id)?.bytes
            )
            guard colour != colourBefore || logo?.bytes != logoBefore else { return }
            try brandings.set(colour: colour, logo: logo, tenant: tenant.id)
            try act.record(.brandingSet, of: tenant.id)
        }
    }

    /// Turns offline sign-in on with these rules, or turns it off if `rules` is nil. In both cases, all leases issued
    /// so far are withdrawn. Nothing happens if the rules are the present ones.
    ///
    /// - Throws: ``StorageError``
    package func setOfflineRules(_ rules: OfflineRules?, tenant: Tenant) async throws {
        try await transactions.write { act in
            guard try rules != OfflineRules.of(tenant.id, act.connection) else { return }
            try OfflineRules.keep(rules, for: tenant.id, act.connection)
            if rules?.credentials.contains(.pinWithoutTPM) == true {
                try act.record(.offlinePINWithoutTPM, of: tenant.id)
            }
            try act.record(rules == nil ? .offlineTurnedOff : .offlineTurnedOn, of: tenant.id)
        }
    }
}

/// Access to another part of the server that stores data of organisations, such as device management.
package struct TenantNeighbour: Sendable {
    /// Returns the number of objects that this part stores for an organisation.
    let holdings: @Sendable (TenantID) async throws -> IdentityAdmin.ManagedHoldings
    /// Removes everything that this part stores for an organisation. It is not an error if there is nothing to remove.
    let remove: @Sendable (TenantID) async throws -> Void

    package init(
        holdings: @escaping @Sendable (TenantID) async throws -> IdentityAdmin.ManagedHoldings,
        remove: @escaping @Sendable (TenantID) async throws -> Void
    ) {
        (self.holdings, self.remove) = (holdings, remove)
    }
}

extension IdentityAdmin.TenantHoldings {
    fileprivate init(_ own: Tenants.Holdings, _ managed: IdentityAdmin.ManagedHoldings?) {
        self.init(
            users: own.users, groups: own.groups, clients: own.clients, sessions: own.sessions, devices: own.devices,
            management: managed
                ?? IdentityAdmin.ManagedHoldings(devices: 0, enrollmentProfiles: 0, profiles: 0, apps: 0))
    }

    /// A text that lists the objects that would be left without a server if the organisation were removed.
    fileprivate var orphans: [String] {
        [
            (devices, "joined device"), (management.devices, "managed device"),
            (management.enrollmentProfiles, "enrollment profile"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
    }
}
