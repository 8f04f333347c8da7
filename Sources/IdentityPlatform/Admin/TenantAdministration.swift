// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// Acts on organisations: their signing keys and the rules that hold in them.
package struct TenantAdministration: Sendable {
    let transactions: AdminTransactions
    let keys: TenantKeys
    let rotation: KeyRotation

    /// Makes an organisation with signing keys and the well-known clients.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func add(displayName: String, domain: String) async throws -> Tenant {
        let domain = domain.lowercased()
        try NameRules.check(displayName: displayName)
        guard NameRules.isDomain(domain) else { throw AdminRefusal.badDomain }
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

    /// Gives an organisation new signing keys of both algorithms (``KeySchedule``).
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func rotateKeys(of tenant: Tenant, immediately: Bool = false) async throws {
        let keys = try await keys.all(of: tenant.id)
        guard immediately || !KeySchedule.isPending(keys, at: transactions.environment.now()) else {
            throw AdminRefusal.rotationPending
        }
        try await refusingWhileBusy {
            try await rotation.rotate(
                KeySchedule.algorithms, of: tenant.id, immediately: immediately, by: transactions.actor.name)
        }
    }

    /// Says who may join or register devices of their own, and how many.
    ///
    /// - Throws: ``StorageError``
    package func setDeviceRegistrationRules(_ rules: DeviceRegistrationRules, tenant: Tenant) async throws {
        try await transactions.write { act in
            try rules.keep(for: tenant.id, act.connection)
            try act.record(.deviceRulesSet, of: tenant.id)
        }
    }

    /// Turns offline sign-in on under these rules, or off; what was given before is withdrawn in either case.
    ///
    /// - Throws: ``StorageError``
    package func setOfflineRules(_ rules: OfflineRules?, tenant: Tenant) async throws {
        try await transactions.write { act in
            try OfflineRules.keep(rules, for: tenant.id, act.connection)
            if rules?.credentials.contains(.pinWithoutTPM) == true {
                try act.record(.offlinePINWithoutTPM, of: tenant.id)
            }
            try act.record(rules == nil ? .offlineTurnedOff : .offlineTurnedOn, of: tenant.id)
        }
    }
}
