// SPDX-License-Identifier: Apache-2.0
internal import Files

/// A place that keeps one sign-in for each address of an administration.
protocol SignInStore: Sendable {
    /// The place, for people.
    var place: String { get }
    /// The file whose lock lets only one command at a time renew the tokens; nil if no other command knows them.
    var lockFile: String? { get throws }

    /// Checks that a sign-in can be kept here, and changes nothing.
    ///
    /// - Throws: ``CommandFailure``.
    func check() async throws

    /// Returns the sign-in for an address; nil if there is none.
    ///
    /// - Throws: ``CommandFailure``.
    func read(for administration: ServerURL) async throws -> KeptSignIn?
    /// Returns the kept sign-in for an address, or nil. Other users may have read this sign-in, so the caller may end it but
    /// not use it.
    ///
    /// - Throws: ``CommandFailure``.
    func readExposed(for administration: ServerURL) async throws -> KeptSignIn?
    func write(_ kept: KeptSignIn) async throws
    /// Removes the sign-in for an address, if there is one.
    func remove(for administration: ServerURL) async throws
}

extension SignInStore {
    func readExposed(for administration: ServerURL) async throws -> KeptSignIn? { try await read(for: administration) }

    /// Runs `body` while no other command renews the tokens.
    ///
    /// - Throws: ``CommandFailure`` `sign_in_busy` if another command holds the lock for too long.
    func locked<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        guard let path = try lockFile else { return try await body() }
        let end = ContinuousClock.now + Self.patience
        while true {
            let lock: FileLock?
            do { lock = try FileLock(path, isPatient: false) } catch {
                throw PrivateFileFailure.reading(error, code: "sign_in_lock", path)
            }
            if let lock {
                defer { withExtendedLifetime(lock) {} }
                return try await body()
            }
            guard ContinuousClock.now < end else {
                throw CommandFailure(
                    code: "sign_in_busy", message: "Another command has been renewing the sign-in for too long.",
                    remedy: "Wait for the other baton admin command, or end it.")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// A renewal takes two requests at most.
    private static var patience: Duration { .seconds(150) }
}
