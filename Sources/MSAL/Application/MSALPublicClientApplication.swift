// SPDX-License-Identifier: Apache-2.0

/// Gives an app access to the worker who is signed in on this device.
///
/// All methods may be called from any thread. A method with a completion block calls it exactly once, after the method
/// has returned. The block runs on `completionBlockQueue`. If no queue is set, it runs on the main queue
/// (`acquireToken`, `signout`) or on a queue of the library (all other methods); see <doc:Queues>. Errors are
/// `NSError`s in ``MSALErrorDomain`` with cause and remedy under ``MSALErrorDescriptionKey``.
#if canImport(ObjectiveC)
    @objc(MSALPublicClientApplication) @objcMembers
#endif
open class MSALPublicClientApplication: NSObject, @unchecked Sendable {
    // Unchecked because the class is open and the configuration is a class; the stored copy is never changed.
    //
    // With its extensions the class is longer than 400 lines, because the interface is Microsoft's: each method exists
    // with a block, as an `async` function and under its deprecated names. Each method only forwards to ``ClientConfiguration``.
    let client: ClientConfiguration
    private let settings: MSALPublicClientApplicationConfig

    /// Makes an application with a copy of `configuration` (INIT-7).
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` if the client id or the redirect URI is invalid (INIT-1, INIT-5).
    public init(configuration: MSALPublicClientApplicationConfig) throws {
        settings = configuration.duplicate()
        do { client = try ClientConfiguration(settings) } catch { throw error.error() }
        super.init()
    }

    /// Makes an application with only a client id (INIT-2). In this library the call always fails.
    ///
    /// - Throws: an `NSError` -50000/-42011, because there is no bundle id from which to derive the redirect URI.
    public convenience init(clientId: String) throws {
        try self.init(configuration: MSALPublicClientApplicationConfig(clientId: clientId))
    }

    /// Makes an application that uses `broker` instead of the process's connection, for tests.
    package convenience init(configuration: MSALPublicClientApplicationConfig, broker: BrokerConnection) throws {
        let own = configuration.duplicate()
        own.broker = broker
        try self.init(configuration: own)
    }

    /// A copy of the configuration of this application. Changing the copy has no effect.
    open var configuration: MSALPublicClientApplicationConfig { settings.duplicate() }

    /// Whether a broker answers on this device. Asks the broker and blocks for at most five seconds (BRK-4).
    open var isCompatibleAADBrokerAvailable: Bool { client.isBrokerAvailable }

    /// The version of this library.
    open class var sdkVersion: String? { libraryVersion }

    // MARK: Accounts

    /// Returns the signed-in accounts, at most one on a shared device.
    ///
    /// Asks the broker and blocks until it answers, for at most five seconds. Do not call this method from the main
    /// thread. In `async` code use ``accountsFromDevice(for:)`` instead (ENUM-1, ENUM-2).
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` if the accounts cannot be determined.
    #if canImport(ObjectiveC)
        @objc(allAccounts:)
    #endif
    open func allAccounts() throws -> [MSALAccount] { try accounts(for: MSALAccountEnumerationParameters()) }

    /// Returns the signed-in account with this identifier. Asks the broker and blocks, see ``allAccounts()``.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``: -50000/-42106 if no such account is signed in (ENUM-9).
    open func account(forIdentifier identifier: String) throws -> MSALAccount {
        try onlyAccount(MSALAccountEnumerationParameters(identifier: identifier), blank: identifier)
    }

    /// Returns the signed-in account with this user name. Asks the broker and blocks, see ``allAccounts()``.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain``: -50000/-42106 if no such account is signed in, -50000/-42000 if
    ///   the name is blank (ENUM-9, ENUM-10).
    open func account(forUsername username: String) throws -> MSALAccount {
        try onlyAccount(MSALAccountEnumerationParameters(identifier: nil, username: username), blank: username)
    }

    /// Returns the accounts that meet all of `parameters`. Asks the broker and blocks, see ``allAccounts()``.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` if the accounts cannot be determined.
    #if canImport(ObjectiveC)
        @objc(accountsForParameters:error:)
    #endif
    open func accounts(for parameters: MSALAccountEnumerationParameters) throws -> [MSALAccount] {
        let correlation = UUID.random()
        do throws(Fault) { return try client.rememberedAccounts(AccountFilter(parameters), correlation) } catch {
            throw error.error(correlation: correlation)
        }
    }

    /// Finds the accounts that are signed in on the device and meet all of `parameters` (ENUM-5, ENUM-7).
    ///
    /// If no account matches, the block gets an empty list. If the accounts cannot be determined, the block gets an
    /// error and no list.
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

    /// Finds the current account and the account that this app saw before (CUR-6).
    ///
    /// Compare the two accounts. A change is reported until a block that received it has returned, so delete the former
    /// worker's data inside the block. The `async` form, ``currentAccount(with:)``, reports a change until the app
    /// calls it again. Call this method when the app starts, when it returns from the background, and when
    /// `SHARED_MODE_CURRENT_ACCOUNT_CHANGED` is posted.
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
                if let change { client.seen.hand(change) }
                let told = change.flatMap { $0.isChange ? $0 : nil }
                if let told, delivery.isAsynchronous { client.keepUnconfirmed(told) }
                completionBlock(change?.current, change?.previous, error)
                if let told, !delivery.isAsynchronous { client.handled(told, delivery.correlation) }
            }
        }
    }

    /// Removes `account` from this app: the broker deletes the tokens that it holds for the app (REM-1).
    ///
    /// Afterwards this app gets no silent token for the account and does not list the account, until a user signs in
    /// through ``acquireToken(with:completionBlock:)``. The worker stays signed in on the device; to sign a worker out,
    /// use ``signout(with:signoutParameters:completionBlock:)``. Asks the broker and blocks, see ``allAccounts()``.
    ///
    /// - Throws: an `NSError` in ``MSALErrorDomain`` if the broker refused the removal or could not be reached.
    #if canImport(ObjectiveC)
        @objc(removeAccount:error:)
    #endif
    open func remove(_ account: MSALAccount) throws {
        let correlation = UUID.random()
        do throws(Fault) { try client.remove(account, correlation) } catch {
            throw error.error(correlation: correlation)
        }
    }

    // MARK: Tokens

    /// Signs a worker in through a window of the broker. On a shared device this signs the worker in for every app.
    #if canImport(ObjectiveC)
        @objc(acquireTokenWithParameters:completionBlock:)
    #endif
    @preconcurrency
    open func acquireToken(
        with parameters: MSALInteractiveTokenParameters,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        let delivery = Delivery.onMain(parameters, correlation: parameters.correlationId)
        client.login(parameters, delivery.correlation) { [seen = client.seen] outcome in
            seen.show(try? outcome.get().account)
            delivery.deliver(outcome) { result, error in completionBlock(result, error) }
        }
    }

    /// Gets a token for the signed-in worker without any user interaction.
    ///
    /// If user interaction is required, the error is ``MSALError/interactionRequired``.
    #if canImport(ObjectiveC)
        @objc(acquireTokenSilentWithParameters:completionBlock:)
    #endif
    @preconcurrency
    open func acquireTokenSilent(
        with parameters: MSALSilentTokenParameters,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        let delivery = Delivery.inBackground(parameters, correlation: parameters.correlationId)
        client.refresh(parameters, delivery.correlation) { [seen = client.seen] outcome in
            seen.show(try? outcome.get().account)
            delivery.deliver(outcome) { result, error in completionBlock(result, error) }
        }
    }

    /// Cancels the sign-in that this process has in progress, as if the user had cancelled it (INT-10).
    ///
    /// - Returns: whether a sign-in was in progress. Its block gets ``MSALError/userCanceled``, unless the user had
    ///   already finished.
    open class func cancelCurrentWebAuthSession() -> Bool { ClientConfiguration.cancelLogin(through: .current) }

    /// Handles a URL that another app opened. Always returns false.
    ///
    /// Sign-ins never return to the app through a URL, because the broker has its own window (INT-14).
    ///
    /// - Returns: false; no URL belongs to a sign-in of this library.
    open class func handleMSALResponse(_ response: URL, sourceApplication: String?) -> Bool { false }

    /// Signs the worker out. On a shared device this applies to all apps and deletes their tokens.
    ///
    /// On success, no credential that could obtain a token is left on the device. The worker's session at the identity
    /// platform, including the session in the browser, ends at once, or as soon as the device is online again. The app
    /// must delete its own data.
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
    /// If the library cannot find this out, the block gets an error and no object. The mode `.default` is never
    /// reported in place of an error (DEV-4).
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

    /// Finds the device's registration with the organisation `tenantId`; nil accepts any organisation.
    ///
    /// If the device is not registered with this organisation, the block gets an object without entries (DEV-11).
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

    /// Requests a token for the shared device itself, without a user, for `resource` (DTK-1).
    ///
    /// If the device is not shared, the block gets -50000/-42000. The block runs on a queue of the library (THR-4).
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
    /// Returns the account that meets `parameters`, or the first if there are several (ENUM-9).
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

/// What the `Handover` library needs to know about an app's application object.
extension MSALPublicClientApplication {
    package var clientID: String { client.id }
    /// The host of the identity platform.
    package var environment: String { client.authority.host }
    /// The connection that this application's calls use; nil if the application may not use the broker (INIT-8).
    package var broker: BrokerConnection? { client.mayUseBroker ? client.broker : nil }
}
