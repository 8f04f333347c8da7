// SPDX-License-Identifier: Apache-2.0

// The same calls for `async` code, under the names that Swift gives them on Apple's systems. Each calls the form with a block,
// so that a subclass that overrides that one changes both. They use no queue of the app and return wherever their caller
// runs, also in a program whose main queue does not.
#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALPublicClientApplication {
    /// Finds out whether workers share this device.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where that cannot be found out.
    public func deviceInformation(with parameters: MSALParameters?) async throws -> MSALDeviceInformation {
        try await answer { getDeviceInformation(with: parameters, completionBlock: $0) }
    }

    /// Finds out about the device's registration with the organisation `tenantId`; nil stands for whichever there is.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where that cannot be found out.
    public func wpjMetaDataDevice(
        with parameters: MSALParameters?, forTenantId tenantId: String?
    ) async throws -> MSALWPJMetaData {
        try await answer { getWPJMetaDataDevice(with: parameters, forTenantId: tenantId, completionBlock: $0) }
    }

    /// Asks for a token of the shared device itself, with no user in it.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``; -50000/-42000 where the device is not shared (DTK-1).
    public func deviceTokenForSharedDevice(
        withResource resource: String, scopes: [String]?
    ) async throws -> MSALDeviceTokenResult {
        try await answer { getDeviceTokenForSharedDevice(withResource: resource, scopes: scopes, completionBlock: $0) }
    }

    /// Finds out which accounts that meet all of `parameters` are signed in on the device; no match is an empty list.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where that cannot be found out.
    public func accountsFromDevice(for parameters: MSALAccountEnumerationParameters) async throws -> [MSALAccount] {
        try await answer { accountsFromDevice(for: parameters, completionBlock: $0) }
    }

    /// Finds out who is signed in, and whom this app saw before.
    ///
    /// Clear what you hold of the former worker before you call this again: a change is reported until the next call, which
    /// acknowledges it, and after a crash before that (CUR-5).
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where that cannot be found out.
    public func currentAccount(with parameters: MSALParameters?) async throws -> (MSALAccount?, MSALAccount?) {
        try await answer { complete in
            getCurrentAccount(with: parameters) { current, previous, error in complete((current, previous), error) }
        }
    }

    /// Signs a worker in, in a window of the broker.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``; ``MSALError/userCanceled`` where the person gave up.
    public func acquireToken(with parameters: MSALInteractiveTokenParameters) async throws -> MSALResult {
        try await answer { acquireToken(with: parameters, completionBlock: $0) }
    }

    /// Gets a token of the worker who is signed in.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``; ``MSALError/interactionRequired`` where a person has to take part.
    public func acquireTokenSilent(with parameters: MSALSilentTokenParameters) async throws -> MSALResult {
        try await answer { acquireTokenSilent(with: parameters, completionBlock: $0) }
    }

    /// Signs the worker out: on a shared device of all apps, with their tokens.
    ///
    /// - Returns: true.
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where the worker may still be signed in.
    public func signout(with account: MSALAccount, signoutParameters: MSALSignoutParameters) async throws -> Bool {
        try await answer { complete in
            signout(with: account, signoutParameters: signoutParameters) { done, error in complete(done, error) }
        }
    }

    /// Starts a call and waits for its one outcome; a block that gets neither a value nor an error is a failure, too.
    private func answer<Value: Sendable>(
        _ start: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Delivery.startsAsynchronousCall.withValue(true) {
                start { value, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else if let value {
                        continuation.resume(returning: value)
                    } else {
                        continuation.resume(throwing: Fault(.nothingCame).error())
                    }
                }
            }
        }
    }
}
