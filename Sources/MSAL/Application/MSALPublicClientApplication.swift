// SPDX-License-Identifier: Apache-2.0

/// An app's way to the worker who is signed in on this device.
///
/// Every call may come from any thread and calls its block exactly once, later: on `completionBlockQueue`, else on the
/// main queue (`acquireToken`, `signout`) or a queue of the library (the others).
open class MSALPublicClientApplication: NSObject, @unchecked Sendable {
    // Unchecked because the class is open; it holds one unchanging value.
    private let client: Client

    /// Makes an application of a copy of `configuration`.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where client id or redirect URI cannot be used.
    public convenience init(configuration: MSALPublicClientApplicationConfig) throws {
        try self.init(configuration: configuration, broker: .shared)
    }

    /// Makes an application that talks through a connection of its own.
    package init(configuration: MSALPublicClientApplicationConfig, broker: BrokerConnection) throws {
        do { client = try Client(configuration, broker: broker) } catch { throw error.error() }
    }

    /// Takes a URL that another app opened.
    ///
    /// No sign-in comes back this way here: the broker has a window of its own.
    ///
    /// - Returns: whether the URL belonged to a sign-in of this library, which it never does.
    open class func handleMSALResponse(_ response: URL, sourceApplication: String?) -> Bool { false }

    /// Finds out whether workers share this device.
    ///
    /// Where that cannot be found out, the block gets an error and no object; `.default` is only ever an answer.
    @preconcurrency
    open func getDeviceInformation(
        with parameters: MSALParameters?,
        completionBlock: @escaping @Sendable (MSALDeviceInformation?, (any Error)?) -> Void
    ) {
        let delivery = Delivery.inBackground(parameters)
        client.deviceInformation(delivery.correlation) { outcome in
            delivery.deliver(outcome) { information, error in completionBlock(information, error) }
        }
    }

    /// Finds out who is signed in, and whom this app saw before.
    ///
    /// Compare the two: a change is reported until a block that got it has returned. Clear what you hold of the former
    /// worker inside the block. Call this at start, on return from the background, and at
    /// `SHARED_MODE_CURRENT_ACCOUNT_CHANGED`.
    @preconcurrency
    open func getCurrentAccount(
        with parameters: MSALParameters?,
        completionBlock: @escaping @Sendable (MSALAccount?, MSALAccount?, (any Error)?) -> Void
    ) {
        let delivery = Delivery.inBackground(parameters)
        client.currentAccount(delivery.correlation) { [client] outcome in
            delivery.deliver(outcome) { change, error in
                completionBlock(change?.current, change?.previous, error)
                if let change { client.acknowledge(change, delivery.correlation) }
            }
        }
    }

    /// Signs a worker in, in a window of the broker, for this app and every other one on a shared device.
    @preconcurrency
    open func acquireToken(
        with parameters: MSALInteractiveTokenParameters,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        let delivery = Delivery.onMain(parameters, correlation: parameters.correlationId)
        let complete: Client.TokenCompletion = { outcome in
            delivery.deliver(outcome) { result, error in completionBlock(result, error) }
        }
        do throws(Fault) {
            client.login(
                try client.loginRequest(parameters, delivery.correlation), delivery.correlation, complete: complete)
        } catch { complete(.failure(error)) }
    }

    /// Gets a token of the worker who is signed in, without asking anybody anything.
    ///
    /// Where a person has to take part, the error is ``MSALError/interactionRequired``.
    @preconcurrency
    open func acquireTokenSilent(
        with parameters: MSALSilentTokenParameters,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        let delivery = Delivery.inBackground(parameters, correlation: parameters.correlationId)
        let complete: Client.TokenCompletion = { outcome in
            delivery.deliver(outcome) { result, error in completionBlock(result, error) }
        }
        do throws(Fault) {
            client.refresh(
                try client.refreshRequest(parameters, delivery.correlation), delivery.correlation, complete: complete)
        } catch { complete(.failure(error)) }
    }

    /// Signs the worker out: on a shared device of all apps, with their tokens, and of the browser where that is asked.
    ///
    /// Success means that no credential is left that could obtain a token. The app clears its own data.
    @preconcurrency
    open func signout(
        with account: MSALAccount, signoutParameters: MSALSignoutParameters,
        completionBlock: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let delivery = Delivery.onMain(signoutParameters)
        let complete: @Sendable (Result<Void, Fault>) -> Void = { outcome in
            delivery.deliver(outcome) { done, error in completionBlock(done != nil, error) }
        }
        do throws(Fault) {
            client.signOut(
                try client.signOutRequest(account, signoutParameters, delivery.correlation), complete: complete)
        } catch { complete(.failure(error)) }
    }
}
