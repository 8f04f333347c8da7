// SPDX-License-Identifier: Apache-2.0

// The same calls for `async` code, under the names that Swift gives them on Apple's systems. They use no queue, so they
// return wherever their caller runs, also in a program whose main queue does not.
#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALPublicClientApplication {
    /// Finds out whether workers share this device.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where that cannot be found out.
    public func deviceInformation(with parameters: MSALParameters?) async throws -> MSALDeviceInformation {
        try await answer { client.deviceInformation($0, complete: $1) }
    }

    /// Finds out about the device's registration with the organisation `tenantId`; nil stands for whichever there is.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where that cannot be found out.
    public func wpjMetaDataDevice(
        with parameters: MSALParameters?, forTenantId tenantId: String?
    ) async throws -> MSALWPJMetaData {
        try await answer { client.registration(tenantId, $0, complete: $1) }
    }

    /// Asks for a token of the shared device itself, with no user in it.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``; -50000/-42000 where the device is not shared (DTK-1).
    public func deviceTokenForSharedDevice(
        withResource resource: String, scopes: [String]?
    ) async throws -> MSALDeviceTokenResult {
        try await answer { client.deviceToken(resource, scopes: scopes ?? [], $0, complete: $1) }
    }

    /// Finds out which accounts that meet all of `parameters` are signed in on the device; no match is an empty list.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where that cannot be found out.
    public func accountsFromDevice(for parameters: MSALAccountEnumerationParameters) async throws -> [MSALAccount] {
        try await answer { client.accounts(AccountFilter(parameters), $0, complete: $1) }
    }

    /// Finds out who is signed in, and whom this app saw before.
    ///
    /// The change has been acknowledged when this returns: the next call does not report it again. Where it must not be
    /// lost to a crash right after, use the block form, which acknowledges when the block has returned (CUR-5).
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where that cannot be found out.
    public func currentAccount(with parameters: MSALParameters?) async throws -> (MSALAccount?, MSALAccount?) {
        let correlation = UUID()
        let change = try await answer(correlation) { client.currentAccount($0, complete: $1) }
        await withCheckedContinuation { continuation in
            client.acknowledge(change, correlation) { continuation.resume() }
        }
        return (change.current, change.previous)
    }

    /// Signs a worker in, in a window of the broker.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``; ``MSALError/userCanceled`` where the person gave up.
    public func acquireToken(with parameters: MSALInteractiveTokenParameters) async throws -> MSALResult {
        try await answer(parameters.correlationId) { client.login(parameters, $0, complete: $1) }
    }

    /// Gets a token of the worker who is signed in.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``; ``MSALError/interactionRequired`` where a person has to take part.
    public func acquireTokenSilent(with parameters: MSALSilentTokenParameters) async throws -> MSALResult {
        try await answer(parameters.correlationId) { client.refresh(parameters, $0, complete: $1) }
    }

    /// Signs the worker out: on a shared device of all apps, with their tokens.
    ///
    /// - Returns: true.
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where the worker may still be signed in.
    public func signout(with account: MSALAccount, signoutParameters: MSALSignoutParameters) async throws -> Bool {
        try await answer { client.signOut(account, signoutParameters, correlation: $0, complete: $1) }
        return true
    }

    /// Starts a call and waits for its one outcome.
    private func answer<Value: Sendable>(
        _ correlation: UUID? = nil, _ start: (UUID, @escaping @Sendable (Result<Value, Fault>) -> Void) -> Void
    ) async throws -> Value {
        let correlation = correlation ?? UUID()
        return try await withCheckedThrowingContinuation { continuation in
            start(correlation) { outcome in
                continuation.resume(with: outcome.mapError { $0.error(correlation: correlation) as any Error })
            }
        }
    }
}
