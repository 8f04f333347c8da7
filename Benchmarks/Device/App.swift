// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Dispatch
import Foundation
import MSAL
import Synchronization

/// What the sample app's configuration says about an app.
struct AppConfiguration: Decodable, Sendable {
    let clientId: String
    let redirectUri: String
    let authority: String
    let scopes: [String]

    init(file: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: file)))
    }
}

/// An app on a device where a worker is signed in.
struct App: Sendable {
    private let configuration: AppConfiguration
    private let application: MSALPublicClientApplication
    private let account: MSALAccount

    /// The notification that `MSAL` posts when the account may have changed.
    static let accountChange = Notification.Name("SHARED_MODE_CURRENT_ACCOUNT_CHANGED")

    /// Makes an app that has a cached token.
    init(_ configuration: AppConfiguration) throws {
        try self.init(knowingAccountOf: configuration)
        try token()
    }

    /// Makes an app that has asked who is signed in, but has not requested a token.
    init(knowingAccountOf configuration: AppConfiguration) throws {
        guard let authority = URL(string: configuration.authority) else { throw BenchProblem("no authority") }
        self.configuration = configuration
        application = try MSALPublicClientApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: configuration.clientId, redirectUri: configuration.redirectUri,
                authority: MSALAADAuthority(url: authority)))
        guard let account = try application.allAccounts().first else { throw BenchProblem("nobody is signed in") }
        self.account = account
    }

    /// Gets a token: the first token from the server, all later tokens from the broker's cache.
    func token() throws {
        let outcome: Result<MSALResult, any Error> = waited { done in
            application.acquireTokenSilent(with: parameters) { result, error in
                done(result.map(Result.success) ?? .failure(error ?? BenchProblem("neither token nor error")))
            }
        }
        _ = try outcome.get()
    }

    private var client: ClientRequest {
        ClientRequest(clientID: configuration.clientId, correlationID: UUID().uuidString)
    }

    private var parameters: MSALSilentTokenParameters {
        MSALSilentTokenParameters(scopes: configuration.scopes, account: account)
    }

    /// The subjects for a cached token, the reference first.
    func tokenSubjects(_ reference: Reference) throws -> [Subject] {
        var request = TokenRequest(
            client: client, redirectURI: configuration.redirectUri, authority: configuration.authority,
            scopes: configuration.scopes)
        request.homeAccountID = account.identifier
        request.username = account.username
        let plain = try PlainClient(.refresh, request.entries)
        return [
            try reference.subject("cached token", like: plain), plain.subject("cached token"),
            Subject(name: "cached token: MSAL, block") {
                let isToken = waited { done in
                    application.acquireTokenSilent(with: parameters) { result, _ in done(result != nil) }
                }
                guard isToken else { fatalError("no token") }
            },
            Subject(name: "cached token: MSAL, async") {
                do { _ = try await application.acquireTokenSilent(with: parameters) } catch { fatalError("\(error)") }
            },
        ]
    }

    /// The subjects for the current account, the reference first.
    func accountSubjects(_ reference: Reference) throws -> [Subject] {
        let plain = try PlainClient(.currentAccount, client.entries)
        return [
            try reference.subject("current account", like: plain), plain.subject("current account"),
            Subject(name: "current account: MSAL, block") { [application] in
                let isAccount = waited { done in
                    application.getCurrentAccount(with: nil) { account, _, _ in done(account != nil) }
                }
                guard isAccount else { fatalError("no account") }
            },
            Subject(name: "current account: MSAL, async") { [application] in
                do { _ = try await application.currentAccount(with: nil) } catch { fatalError("\(error)") }
            },
        ]
    }
}

/// Blocks this thread until `start` has called its argument.
func waited<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) -> Value {
    let value = Mutex<Value?>(nil)
    let semaphore = DispatchSemaphore(value: 0)
    withoutActuallyEscaping(start) { start in
        start { new in
            value.withLock { $0 = new }
            semaphore.signal()
        }
    }
    semaphore.wait()
    guard let value = value.withLock({ $0 }) else { fatalError("no value") }
    return value
}
