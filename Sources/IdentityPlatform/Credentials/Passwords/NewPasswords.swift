// SPDX-License-Identifier: Apache-2.0
internal import Redaction

/// Applies the rules for new passwords to the passwords that administrators set, and hashes these passwords.
struct NewPasswords: Sendable {
    let passwords: Passwords
    let breached: BreachedPasswords?
    /// The pool for administrators' work.
    let hashing: HashingPool

    /// - Throws: ``AdminRefusal`` if the password is too short, too long or breached, or if the pool is full; an error
    ///   of the cryptography library.
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
/// - Throws: ``AdminRefusal/busy`` if the pool is full, or the error of `work`.
func refusingWhileBusy<T>(_ work: () async throws -> T) async throws -> T {
    do { return try await work() } catch is HashingPool.Busy { throw AdminRefusal.busy }
}
