// SPDX-License-Identifier: Apache-2.0

/// An app's way to the worker who is signed in on this device.
///
/// Every call may come from any thread and calls its block exactly once, later: on `completionBlockQueue`, else on the
/// main queue (`acquireToken`, `signout`) or a queue of the library (the others); see <doc:Queues>. Errors are `NSError`s in
/// ``MSALErrorDomain`` with cause and remedy under ``MSALErrorDescriptionKey``.
#if canImport(ObjectiveC)
    @objc(MSALPublicClientApplication) @objcMembers
#endif
open class MSALPublicClientApplication: NSObject, @unchecked Sendable {
    // Unchecked because the class is open and the configuration is a class; that copy is never changed.
    //
    // Longer than 400 lines with its extensions, since the interface is Microsoft's: each method is there with a block, as an
    // `async` function and under its deprecated names, and only passes on to ``Client``.
    let client: Client
    private let settings: MSALPublicClientApplicationConfig

    /// Makes an application of a copy of `configuration` (INIT-7).
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where client id or redirect URI cannot be used (INIT-1, INIT-5).
    public init(configuration: MSALPublicClientApplicationConfig) throws {
        settings = configuration.duplicate()
        do { client = try Client(settings) } catch { throw error.error() }
        super.init()
    }

    /// Makes an application of a client id alone (INIT-2).
    ///
    /// - Throws: an `NSError` -50000/-42011, for the redirect URI cannot be made up here as it can be of a bundle id.
    public convenience init(clientId: String) throws {
        try self.init(configuration: MSALPublicClientApplicationConfig(clientId: clientId))
    }

    /// Makes an application that asks `broker` instead of the process's own, for tests.
    package convenience init(configuration: MSALPublicClientApplicationConfig, broker: BrokerConnection) throws {
        let own = configuration.duplicate()
        own.broker = broker
        try self.init(configuration: own)
    }

    /// A copy of the configuration that this application was made with; changing it has no effect.
    open var configuration: MSALPublicClientApplicationConfig { settings.duplicate() }

    /// Whether a broker answers on this device; asks it, and waits for the answer (BRK-4).
    open var isCompatibleAADBrokerAvailable: Bool { client.isBrokerAvailable }

    /// The version of this library.
    open class var sdkVersion: String? { libraryVersion }

    // MARK: Accounts

    /// The accounts that are signed in: one at most on a shared device.
    ///
    /// Asks the broker and waits for its answer, so call it neither from the main thread nor from `async` code, which has
    /// ``accountsFromDevice(for:)`` (ENUM-1, ENUM-2).
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where that cannot be found out.
    #if canImport(ObjectiveC)
        @objc(allAccounts:)
    #endif
    open func allAccounts() throws -> [MSALAccount] { try accounts(for: MSALAccountEnumerationParameters()) }

    /// The account with this identifier, where it is signed in; asks the broker and waits, see ``allAccounts()``.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``: -50000/-42106 where no such account is signed in (ENUM-9).
    open func account(forIdentifier identifier: String) throws -> MSALAccount {
        try onlyAccount(MSALAccountEnumerationParameters(identifier: identifier), blank: identifier)
    }

    /// The account with this user name, where it is signed in; asks the broker and waits, see ``allAccounts()``.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``: -50000/-42106 where no such account is signed in, -50000/-42000 for
    ///   a blank name (ENUM-9, ENUM-10).
    open func account(forUsername username: String) throws -> MSALAccount {
        try onlyAccount(MSALAccountEnumerationParameters(identifier: nil, username: username), blank: username)
    }

    /// The accounts that meet all of `parameters`; asks the broker and waits, see ``allAccounts()``.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` where that cannot be found out.
    #if canImport(ObjectiveC)
        @objc(accountsForParameters:error:)
    #endif
    open func accounts(for parameters: MSALAccountEnumerationParameters) throws -> [MSALAccount] {
        let correlation = UUID()
        do throws(Fault) { return try client.rememberedAccounts(AccountFilter(parameters), correlation) } catch {
            throw error.error(correlation: correlation)
        }
    }

    /// Finds out which accounts that meet all of `parameters` are signed in on the device (ENUM-5, ENUM-7).
    ///
    /// No match gives an empty list; where it cannot be found out, the block gets an error and no list.
    #if canImport(ObjectiveC)
        @objc(accountsFromDeviceForParameters:completionBlock:)
    #endif
    @preconcurrency
    open func accountsFromDevice(
        for parameters: MSALAccountEnumerationParameters,
        completionBlock: @escaping @Sendable ([MSALAccount]?, (any Error)?) -> Void
    ) {
        let delivery = Delivery.inBackground(parameters)
        client.accounts(AccountFilter(parameters), delivery.correlation) { outcome in
            delivery.deliver(outcome) { accounts, error in completionBlock(accounts, error) }
        }
    }

    /// Finds out who is signed in, and whom this app saw before (CUR-6).
    ///
    /// Compare the two: a change is reported until a block that got it has returned. Clear what you hold of the former
    /// worker inside the block. ``currentAccount(with:)`` reports it until the next call. Call this at start, on return from the background, and at
    /// `SHARED_MODE_CURRENT_ACCOUNT_CHANGED`.
    #if canImport(ObjectiveC)
        @objc(getCurrentAccountWithParameters:completionBlock:)
    #endif
    @preconcurrency
    open func getCurrentAccount(
        with parameters: MSALParameters?,
        completionBlock: @escaping @Sendable (MSALAccount?, MSALAccount?, (any Error)?) -> Void
    ) {
        let delivery = Delivery.inBackground(parameters)
        client.currentAccount(delivery.correlation) { [client] outcome in
            delivery.deliver(outcome) { change, error in
                let told = change.flatMap { $0.isChange ? $0 : nil }
                if let told, delivery.isAsynchronous { client.keepUnconfirmed(told) }
                completionBlock(change?.current, change?.previous, error)
                if let told, !delivery.isAsynchronous { client.acknowledge(told, delivery.correlation) }
            }
        }
    }

    /// Removes `account` from this app: the broker drops the tokens that it holds for the app (REM-1).
    ///
    /// From then on this app gets no silent token for the account and does not list it, until somebody signs in through
    /// ``acquireToken(with:completionBlock:)``. The worker stays signed in on the device; use
    /// ``signout(with:signoutParameters:completionBlock:)`` to sign a worker out. Asks the broker and waits, see
    /// ``allAccounts()``.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` if the broker could not be asked or refused.
    #if canImport(ObjectiveC)
        @objc(removeAccount:error:)
    #endif
    open func remove(_ account: MSALAccount) throws {
        let correlation = UUID()
        do throws(Fault) { try client.remove(account, correlation) } catch {
            throw error.error(correlation: correlation)
        }
    }

    // MARK: Tokens

    /// Signs a worker in, in a window of the broker, for this app and every other one on a shared device.
    #if canImport(ObjectiveC)
        @objc(acquireTokenWithParameters:completionBlock:)
    #endif
    @preconcurrency
    open func acquireToken(
        with parameters: MSALInteractiveTokenParameters,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        let delivery = Delivery.onMain(parameters, correlation: parameters.correlationId)
        client.login(parameters, delivery.correlation) { outcome in
            delivery.deliver(outcome) { result, error in completionBlock(result, error) }
        }
    }

    /// Gets a token of the worker who is signed in, without asking anybody anything.
    ///
    /// Where a person has to take part, the error is ``MSALError/interactionRequired``.
    #if canImport(ObjectiveC)
        @objc(acquireTokenSilentWithParameters:completionBlock:)
    #endif
    @preconcurrency
    open func acquireTokenSilent(
        with parameters: MSALSilentTokenParameters,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        let delivery = Delivery.inBackground(parameters, correlation: parameters.correlationId)
        client.refresh(parameters, delivery.correlation) { outcome in
            delivery.deliver(outcome) { result, error in completionBlock(result, error) }
        }
    }

    /// Ends the sign-in that this process has under way, as if the person had given up (INT-10).
    ///
    /// - Returns: whether there was one; its block gets ``MSALError/userCanceled``.
    open class func cancelCurrentWebAuthSession() -> Bool { Client.cancelLogin(through: .current) }

    /// Takes a URL that another app opened.
    ///
    /// No sign-in comes back this way here: the broker has a window of its own (INT-14).
    ///
    /// - Returns: whether the URL belonged to a sign-in of this library, which it never does.
    open class func handleMSALResponse(_ response: URL, sourceApplication: String?) -> Bool { false }

    /// Signs the worker out: on a shared device of all apps, with their tokens, and of the browser where that is asked.
    ///
    /// Success means that no credential is left that could obtain a token. The app clears its own data.
    #if canImport(ObjectiveC)
        @objc(signoutWithAccount:signoutParameters:completionBlock:)
    #endif
    @preconcurrency
    open func signout(
        with account: MSALAccount, signoutParameters: MSALSignoutParameters,
        completionBlock: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let delivery = Delivery.onMain(signoutParameters)
        client.signOut(account, signoutParameters, correlation: delivery.correlation) { outcome in
            delivery.deliver(outcome) { done, error in completionBlock(done != nil, error) }
        }
    }

    // MARK: The device

    /// Finds out whether workers share this device.
    ///
    /// Where that cannot be found out, the block gets an error and no object; `.default` is only ever an answer (DEV-4).
    #if canImport(ObjectiveC)
        @objc(getDeviceInformationWithParameters:completionBlock:)
    #endif
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

    /// Finds out about the device's registration with the organisation `tenantId`; nil stands for whichever there is.
    ///
    /// A device that is not registered there gives an object without entries (DEV-11).
    #if canImport(ObjectiveC)
        @objc(getWPJMetaDataDeviceWithParameters:forTenantId:completionBlock:)
    #endif
    @preconcurrency
    open func getWPJMetaDataDevice(
        with parameters: MSALParameters?, forTenantId tenantId: String?,
        completionBlock: @escaping @Sendable (MSALWPJMetaData?, (any Error)?) -> Void
    ) {
        let delivery = Delivery.inBackground(parameters)
        client.registration(tenantId, delivery.correlation) { outcome in
            delivery.deliver(outcome) { registration, error in completionBlock(registration, error) }
        }
    }

    /// Asks for a token of the shared device itself, with no user in it, for `resource` (DTK-1).
    ///
    /// A device that is not shared gives -50000/-42000. The block runs on a queue of the library (THR-4).
    #if canImport(ObjectiveC)
        @objc(getDeviceTokenForSharedDeviceWithResource:scopes:completionBlock:)
    #endif
    @preconcurrency
    open func getDeviceTokenForSharedDevice(
        withResource resource: String, scopes: [String]?,
        completionBlock: @escaping @Sendable (MSALDeviceTokenResult?, (any Error)?) -> Void
    ) {
        let delivery = Delivery.inBackground(nil)
        client.deviceToken(resource, scopes: scopes ?? [], delivery.correlation) { outcome in
            delivery.deliver(outcome) { token, error in completionBlock(token, error) }
        }
    }
}

extension MSALPublicClientApplication {
    /// The account that meets `parameters`; the first where there are several (ENUM-9).
    private func onlyAccount(_ parameters: MSALAccountEnumerationParameters, blank: String) throws -> MSALAccount {
        guard !blank.allSatisfy(\.isWhitespace) else {
            throw Fault(.accountQueryBlank).error()
        }
        guard let account = try accounts(for: parameters).first else {
            throw Fault(.accountNotSignedIn).error()
        }
        return account
    }
}
