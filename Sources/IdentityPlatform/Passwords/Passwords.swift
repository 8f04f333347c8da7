// SPDX-License-Identifier: Apache-2.0
package import Redaction
internal import Storage

/// Makes and checks password hashes, with the same work for a person who does not exist.
package struct Passwords: Sendable {
    private let database: any Database
    private let pool: HashingPool
    private let ambient: Ambient
    private let cost: PasswordCost
    /// Stands in for the hash of unknown people.
    private let decoy: PasswordHash

    init(database: any Database, pool: HashingPool, ambient: Ambient, cost: PasswordCost) async throws {
        let salt = ambient.randomBytes(16)
        let nobody = SecretBytes(copying: ambient.randomBytes(32))
        decoy = try await pool.run { try PasswordHash(of: nobody, cost: cost, salt: salt) }
        (self.database, self.pool, self.ambient, self.cost) = (database, pool, ambient, cost)
    }

    func hash(_ password: SecretBytes) async throws -> PasswordHash {
        let salt = ambient.randomBytes(16)
        return try await pool.run { [cost] in try PasswordHash(of: password, cost: cost, salt: salt) }
    }

    /// The enabled person with that name and password. Whether the name or the password was wrong, or the account
    /// disabled, can be told neither from the answer nor from the work.
    ///
    /// - Throws: ``StorageError``, ``HashingPool/Busy``.
    package func verify(name: String, password: SecretBytes, tenant: TenantID) async throws -> User? {
        let found = try await database.read { connection -> (User, PasswordHash)? in
            let users = Users(connection)
            guard let user = try users.find(name: name, tenant: tenant),
                let hash = try users.password(of: user.id, tenant: tenant)
            else { return nil }
            return (user, hash)
        }
        let hash = found?.1 ?? decoy
        let matches = try await pool.run { try hash.matches(password) }
        guard matches, let user = found?.0, user.isEnabled else { return nil }
        return user
    }
}
