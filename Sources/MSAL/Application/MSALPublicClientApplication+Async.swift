// SPDX-License-Identifier: Apache-2.0

// The `async` forms of the calls, with the names that Swift gives them on Apple's systems. Each calls the block form,
// so a subclass that overrides the block form changes both. The `async` forms use no queue of the app, so they also
// work in a program whose main queue does not run.
#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALPublicClientApplication {
    /// Returns information about this device, such as whether workers share it.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` if the information cannot be determined.
    public func deviceInformation(with parameters: MSALParameters?) async throws -> MSALDeviceInformation {
        try await answer { getDeviceInformation(with: parameters, completionBlock: $0) }
    }

    /// Returns the device's registration with the organisation `tenantId`; nil accepts any organisation.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` if the registration cannot be determined.
    public func wpjMetaDataDevice(
        with parameters: MSALParameters?, forTenantId tenantId: String?
    ) async throws -> MSALWPJMetaData {
        try await answer { getWPJMetaDataDevice(with: parameters, forTenantId: tenantId, completionBlock: $0) }
    }

    /// Requests a token for the shared device itself, without a user.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``; -50000/-42000 if the device is not shared (DTK-1).
    public func deviceTokenForSharedDevice(
        withResource resource: String, scopes: [String]?
    ) async throws -> MSALDeviceTokenResult {
        try await answer { getDeviceTokenForSharedDevice(withResource: resource, scopes: scopes, completionBlock: $0) }
    }

    /// Returns the accounts that are signed in on the device and meet all of `parameters`; empty if none match.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` if the accounts cannot be determined.
    public func accountsFromDevice(for parameters: MSALAccountEnumerationParameters) async throws -> [MSALAccount] {
        try await answer { accountsFromDevice(for: parameters, completionBlock: $0) }
    }

    /// Returns the current account and the account that this app saw before.
    ///
    /// Delete the former worker's data before you call this method again. The next call of this method acknowledges the
    /// change that this call reported. If the app crashes before that next call, the change is reported again (CUR-5).
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` if the accounts cannot be determined.
    public func currentAccount(with parameters: MSALParameters?) async throws -> (MSALAccount?, MSALAccount?) {
        try await answer { complete in
            getCurrentAccount(with: parameters) { current, previous, error in complete((current, previous), error) }
        }
    }

    /// Signs a worker in through a window of the broker.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``; ``MSALError/userCanceled`` if the user cancelled.
    public func acquireToken(with parameters: MSALInteractiveTokenParameters) async throws -> MSALResult {
        try await answer { acquireToken(with: parameters, completionBlock: $0) }
    }

    /// Returns a token for the signed-in worker.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``; ``MSALError/interactionRequired`` if user interaction is
    ///   required.
    public func acquireTokenSilent(with parameters: MSALSilentTokenParameters) async throws -> MSALResult {
        try await answer { acquireTokenSilent(with: parameters, completionBlock: $0) }
    }

    /// Signs the worker out. On a shared device this applies to all apps and deletes their tokens.
    ///
    /// - Returns: true.
    /// - Throws: an `NSError` in ``MSALErrorDomain`` if the worker may still be signed in.
    public func signout(with account: MSALAccount, signoutParameters: MSALSignoutParameters) async throws -> Bool {
        try await answer { complete in
            signout(with: account, signoutParameters: signoutParameters) { done, error in complete(done, error) }
        }
    }

    /// Starts a call and waits for its outcome; throws if the block gets neither a value nor an error.
    private func answer<Value: Sendable>(
        _ start: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void
    ) async throws -> Value {
        let isOverridable = type(of: self) != MSALPublicClientApplication.self
        return try await withCheckedThrowingContinuation { continuation in
            Delivery.receiver.withValue(isOverridable ? .overriddenBlock : .task) {
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
