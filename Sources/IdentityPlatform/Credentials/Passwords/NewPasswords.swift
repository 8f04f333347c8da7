// SPDX-License-Identifier: Apache-2.0
internal import Redaction

/// Hashes the passwords that administrators give people, after the rules for new ones.
struct NewPasswords: Sendable {
    let passwords: Passwords
    let breached: BreachedPasswords?
    /// What administrators wait for.
    let hashing: HashingPool

    /// - Throws: ``AdminRefusal`` where the password is too short, too long, known from a breach, or too many are being
    ///   hashed; the library's error.
    func hash(_ password: Sensitive<String>) async throws -> PasswordHash {
        guard password.exposed.count >= 8, password.exposed.utf8.count <= 256 else { throw AdminRefusal.weakPassword }
        let secret = SecretBytes(copying: Array(password.exposed.utf8))
        return try await refusingWhileBusy {
            guard try await !isBreached(secret) else { throw AdminRefusal.breachedPassword }
            return try await passwords.hash(secret)
        }
    }

    private func isBreached(_ secret: SecretBytes) async throws -> Bool {
        guard let breached else { return false }
        do { return try await hashing.run { try breached.contains(secret) } } catch is BreachedPasswords.Failure {
            throw AdminRefusal.passwordListUnreadable
        }
    }
}

/// Runs work that needs a place in a ``HashingPool``.
///
/// - Throws: ``AdminRefusal/busy`` where the pool is full, or what `work` throws.
func refusingWhileBusy<T>(_ work: () async throws -> T) async throws -> T {
    do { return try await work() } catch is HashingPool.Busy { throw AdminRefusal.busy }
}
