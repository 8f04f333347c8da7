// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Storage

/// Administrative acts on the keys and the own permissions of applications.
extension ClientAdministration {
    /// Registers a public key of an application.
    ///
    /// - Parameter pem: the public key, or a certificate with it.
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func addKey(_ pem: String, name: String, to client: Client) async throws -> ClientKey {
        guard !client.isPublic else {
            throw AdminRefusal.publicClient.naming("The client is public, so it cannot act for itself with a key.")
        }
        try NameRules.check(displayName: name)
        let now = transactions.environment.now()
        let key: ClientKey
        do throws(ClientKey.Problem) { key = try ClientKey(pem: pem, name: name, at: now) } catch {
            switch error {
            case .unreadable: throw AdminRefusal.badClientKey
            case .isPrivate:
                throw AdminRefusal.badClientKey.naming(
                    "This is a private key, which only the application may have.",
                    "Discard it, generate a new one, and give only its public half: openssl pkey -pubout.")
            }
        }
        guard key.isValid(at: now) else {
            throw AdminRefusal.badClientKey.naming(
                "The certificate has expired.", "Give a certificate that is still valid, or the public key alone.")
        }
        try await transactions.write { act in
            let keys = ClientKeys(act.connection)
            guard try keys.all(of: client).count < ClientKey.maximum else { throw AdminRefusal.tooManyClientKeys }
            try keys.add(key, to: client)
            try act.record(.clientKeyAdded, of: client.tenant, subject: client.id.rawValue, detail: key.id)
        }
        return key
    }

    /// Removes a key. Tokens obtained with it stay valid.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func removeKey(_ id: String, of client: Client) async throws {
        try await transactions.write { act in
            guard try ClientKeys(act.connection).remove(id, of: client) else { throw AdminRefusal.noClientKey }
            try act.record(.clientKeyRemoved, of: client.tenant, subject: client.id.rawValue, detail: id)
        }
    }

    /// Grants an application a permission that it has without a person. It is not an error if the application has the
    /// permission already.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func grant(_ name: String, to client: Client) async throws {
        guard !client.isPublic else {
            throw AdminRefusal.publicClient.naming("The client is public, so it cannot act for itself.")
        }
        let permission = try applicationPermission(named: name)
        try await transactions.write { act in
            guard try ApplicationPermissions(act.connection).grant(permission, to: client, at: act.now) else { return }
            try act.record(
                .clientPermissionGranted, of: client.tenant, subject: client.id.rawValue, detail: permission)
        }
    }

    /// Revokes a permission, with effect on existing tokens. It is not an error if the application does not have it.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func revoke(_ name: String, from client: Client) async throws {
        let permission = try applicationPermission(named: name)
        try await transactions.write { act in
            guard try ApplicationPermissions(act.connection).revoke(permission, from: client) else { return }
            try act.record(
                .clientPermissionRevoked, of: client.tenant, subject: client.id.rawValue, detail: permission)
        }
    }

    /// Returns the official spelling of the name of a permission for administration.
    private func applicationPermission(named name: String) throws -> String {
        let known = AdminOperation.permissions.first { $0.lowercased() == name.lowercased() }
        guard let known else {
            throw AdminRefusal.unknownPermission.naming(
                "There is no such permission for administration.",
                "Use one of \(AdminOperation.permissions.joined(separator: ", ")).")
        }
        return known
    }
}
