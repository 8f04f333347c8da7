// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Testing

/// An app on the device that uses the library. Its calls and completion blocks are the same as in the seeds.
final class App: Sendable {
    let application: MSALPublicClientApplication
    private let broker: BrokerConnection
    let notifications = NotificationCenter()

    /// The signed-in account, and the previous account that this app saw.
    typealias Accounts = (current: MSALAccount?, previous: MSALAccount?)

    /// - Parameter patience: the time limit for a connection, and for the broker's hello on it.
    init(
        socket: String, marker: String?, patience: Duration, clientID: String, redirectURI: String, authority: String
    ) throws {
        var deadlines = BrokerDeadlines()
        deadlines.connect = patience
        deadlines.hello = patience
        (deadlines.reading, deadlines.recording) = (.seconds(60), .seconds(60))
        broker = BrokerConnection(
            location: BrokerLocation(socket: socket, marker: marker), deadlines: deadlines,
            notifications: notifications)
        application = try MSALPublicClientApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: clientID, redirectUri: redirectURI,
                authority: try MSALAADAuthority(url: #require(URL(string: authority)))),
            broker: broker)
    }

    deinit { broker.close() }

    private var webViewParamaters: MSALWebviewParameters? {
        MSALWebviewParameters(authPresentationViewController: NSObject())
    }

    func isSharedDevice() async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            application.getDeviceInformation(
                with: nil,
                completionBlock: { (deviceInformation, error) in

                    guard let deviceInfo = deviceInformation else {
                        return continuation.resume(with: .failure(error ?? NoAnswer()))
                    }

                    let isSharedDevice = deviceInfo.deviceMode == .shared
                    continuation.resume(returning: isSharedDevice)
                })
        }
    }

    func deviceToken(_ resource: String) async throws -> MSALDeviceTokenResult {
        try await withCheckedThrowingContinuation { continuation in
            application.getDeviceTokenForSharedDevice(withResource: resource, scopes: nil) { token, error in
                continuation.resume(with: token.map { .success($0) } ?? .failure(error ?? NoAnswer()))
            }
        }
    }

    /// The accounts as `async` code gets them: the next call acknowledges the change.
    func accountsForAsyncCode() async throws -> Accounts { try await application.currentAccount(with: nil) }

    func accounts() async throws -> Accounts {
        let msalParameters = MSALParameters()
        msalParameters.completionBlockQueue = DispatchQueue.main

        return try await withCheckedThrowingContinuation { continuation in
            application.getCurrentAccount(
                with: msalParameters,
                completionBlock: { (currentAccount, previousAccount, error) in

                    // Continue only after this block has returned: until then the change does not count as handled.
                    DispatchQueue.main.async {
                        continuation.resume(
                            with: error.map { .failure($0) } ?? .success((currentAccount, previousAccount)))
                    }
                })
        }
    }

    func signIn(
        hint: String? = nil, scopes: [String] = ["User.Read"],
        wishes: (MSALInteractiveTokenParameters) throws -> Void = { _ in }
    ) async throws -> MSALResult {
        let parameters = MSALInteractiveTokenParameters(
            scopes: scopes, webviewParameters: try #require(webViewParamaters))
        parameters.loginHint = hint
        try wishes(parameters)
        return try await application.acquireToken(with: parameters)
    }

    /// Signs in at the screen of the device. If the browser ends with an error before anybody has signed in, repeats the
    /// sign-in once, as a worker would, and prints what the agent logged. On a busy machine, Chromium sometimes ends in
    /// this way.
    func signInAtScreen(of live: LiveEnvironment) async throws -> MSALAccount {
        do { return try await signIn().account } catch
            where Seen(error).reason == BrokerError.Reason.browserBroke.rawValue
        {
            print(
                "the browser ended with an error, and the sign-in is repeated: \(try live.log(of: .agent).suffix(2000))"
            )
            // Meanwhile the device clears what the sign-in has left.
            try await live.comesBack()
            return try await signIn().account
        }
    }

    /// Closes the connection permanently, like an app that quits. Waiting calls fail.
    func close() { broker.close() }

    /// Cancels this app's running sign-in.
    func cancel() -> Bool { broker.cancelSignIn() }

    func token(
        of account: MSALAccount, refreshed: Bool = false,
        wishes: (MSALSilentTokenParameters) throws -> Void = { _ in }
    ) async throws -> MSALResult {
        let parameters = MSALSilentTokenParameters(scopes: ["User.Read"], account: account)
        parameters.forceRefresh = refreshed
        try wishes(parameters)
        return try await application.acquireTokenSilent(with: parameters)
    }

    @discardableResult
    func signOut(_ account: MSALAccount) async throws -> Bool {
        let signoutParameters = MSALSignoutParameters(webviewParameters: try #require(webViewParamaters))
        signoutParameters.signoutFromBrowser = true  // Only needed for Public Preview.

        return try await withCheckedThrowingContinuation { continuation in
            application.signout(
                with: account, signoutParameters: signoutParameters,
                completionBlock: { (success, error) in

                    if let error = error {
                        return continuation.resume(throwing: error)
                    }

                    continuation.resume(returning: success)
                })
        }
    }

    private struct NoAnswer: Error {}
}

extension LiveEnvironment {
    /// Returns app `number` as a fresh process would be: with its own connection and no memory.
    ///
    /// - Parameter isTold: whether the app's environment names the broker's socket. If not, the app looks for the
    ///   marker, like an app on an installed device.
    /// - Parameter patience: how long the app waits for the broker. The default is long, since a busy machine is not an
    ///   error; a test of the library's own limit sets it.
    func app(_ number: Int, isTold: Bool = true, patience: Duration = .seconds(30)) throws -> App {
        let app = try #require(facts.apps.first { $0.number == number })
        return try App(
            socket: path("run/broker.sock"), marker: isTold ? nil : path("public/managed"), patience: patience,
            clientID: app.clientID, redirectURI: app.redirectURI, authority: facts.authority)
    }

    /// Signs a person in through `app`, and leaves the browser open.
    @discardableResult
    func signIn(_ givenName: String, through app: App) async throws -> MSALAccount {
        try seat(givenName)
        let account = try await app.signIn().account
        try leave()
        return account
    }
}

/// The parts of an error that an app reads.
struct Seen: Equatable, CustomStringConvertible {
    let code: MSALError?
    let internalCode: MSALInternalError?
    let reason: String?
    let text: String

    init(_ error: any Error) {
        let error = error as NSError
        reason = error.userInfo[BatonReasonKey] as? String
        code = error.domain == MSALErrorDomain ? MSALError(rawValue: error.code) : nil
        internalCode = (error.userInfo[MSALInternalErrorCodeKey] as? Int).flatMap(MSALInternalError.init(rawValue:))
        text = error.userInfo[MSALErrorDescriptionKey] as? String ?? "\(error)"
    }

    var description: String { "\(code as Any) \(internalCode as Any) \(text)" }
}

/// Returns the error that `body` throws.
func seen<Value>(_ body: () async throws -> Value) async throws -> Seen {
    do {
        let value = try await body()
        throw Unexpected(value: "\(value)")
    } catch let unexpected as Unexpected { throw unexpected } catch { return Seen(error) }
}

/// A call succeeded that should have failed.
struct Unexpected: Error {
    let value: String
}
