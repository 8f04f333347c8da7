// SPDX-License-Identifier: Apache-2.0

/// The same calls for `async` code, under the names that Swift gives them on Apple's systems.
extension MSALPublicClientApplication {
    /// Finds out whether workers share this device.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where that cannot be found out.
    public func deviceInformation(with parameters: MSALParameters?) async throws -> MSALDeviceInformation {
        try await withCheckedThrowingContinuation { continuation in
            getDeviceInformation(with: parameters) { continuation.resume(with: outcome($0, $1)) }
        }
    }

    /// Finds out who is signed in, and whom this app saw before.
    ///
    /// The change counts as reported once this returns. Where it must not be lost to a crash, use the block form, which
    /// counts it when the block has returned.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where that cannot be found out.
    public func currentAccount(with parameters: MSALParameters?) async throws -> (MSALAccount?, MSALAccount?) {
        try await withCheckedThrowingContinuation { continuation in
            getCurrentAccount(with: parameters) { current, previous, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success((current, previous)))
            }
        }
    }

    /// Signs a worker in.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``.
    public func acquireToken(with parameters: MSALInteractiveTokenParameters) async throws -> MSALResult {
        try await withCheckedThrowingContinuation { continuation in
            acquireToken(with: parameters) { continuation.resume(with: outcome($0, $1)) }
        }
    }

    /// Gets a token of the worker who is signed in.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``.
    public func acquireTokenSilent(with parameters: MSALSilentTokenParameters) async throws -> MSALResult {
        try await withCheckedThrowingContinuation { continuation in
            acquireTokenSilent(with: parameters) { continuation.resume(with: outcome($0, $1)) }
        }
    }

    /// Signs the worker out.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``.
    public func signout(with account: MSALAccount, signoutParameters: MSALSignoutParameters) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            signout(with: account, signoutParameters: signoutParameters) { isDone, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(isDone))
            }
        }
    }
}

/// A block's pair as one outcome; a pair of nothing, which an overriding app could send, is an error as well.
private func outcome<Value>(_ value: Value?, _ error: (any Error)?) -> Result<Value, any Error> {
    if let value { return .success(value) }
    return .failure(error ?? Fault(.internalErrorUnexpected, "Neither a value nor an error came.").error())
}
