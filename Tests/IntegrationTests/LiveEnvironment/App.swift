// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Testing

/// An app of the device, as far as it talks to the library: the calls are those of the seeds, with their blocks.
final class App: Sendable {
    let application: MSALPublicClientApplication
    private let broker: BrokerConnection
    let notifications = NotificationCenter()

    /// Who is signed in, and whom this app saw before.
    typealias Accounts = (current: MSALAccount?, previous: MSALAccount?)

    /// - Parameter patience: for a connection, and for the broker's hello on it.
    init(
        socket: String, marker: String?, patience: Duration, clientID: String, redirectURI: String, authority: String
    ) throws {
        var deadlines = BrokerDeadlines()
        deadlines.connect = patience
        deadlines.hello = patience
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

    func accounts() async throws -> Accounts {
        let msalParameters = MSALParameters()
        msalParameters.completionBlockQueue = DispatchQueue.main

        return try await withCheckedThrowingContinuation { continuation in
            application.getCurrentAccount(
                with: msalParameters,
                completionBlock: { (currentAccount, previousAccount, error) in

                    // On after this block has returned: until then a change is not taken for dealt with.
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

    /// Ends the connection for good, as an app that is closed: calls that wait fail.
    func close() { broker.close() }

    /// Gives up the sign-in of this app that runs.
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
    /// A fresh process's worth of app `number`: its own connection, nothing remembered.
    ///
    /// - Parameter isTold: whether its environment names the broker's socket; else it looks for the marker as an app of
    ///   an installed device does.
    /// - Parameter patience: how long it waits for the broker to come; long, since a busy machine is no error, but where
    ///   a test wants to see the library's own patience end.
    func app(_ number: Int, isTold: Bool = true, patience: Duration = .seconds(30)) throws -> App {
        let app = try #require(facts.apps.first { $0.number == number })
        return try App(
            socket: path("run/broker.sock"), marker: isTold ? nil : path("public/managed"), patience: patience,
            clientID: app.clientID, redirectURI: app.redirectURI, authority: facts.authority)
    }

    /// Amara, say, signs in through `app` and leaves the browser as it is.
    @discardableResult
    func signIn(_ givenName: String, through app: App) async throws -> MSALAccount {
        try seat(givenName)
        let account = try await app.signIn().account
        try leave()
        return account
    }
}

/// What an app reads out of an error.
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

/// The error that `body` ends with.
func seen<Value>(_ body: () async throws -> Value) async throws -> Seen {
    do {
        let value = try await body()
        throw Unexpected(value: "\(value)")
    } catch let unexpected as Unexpected { throw unexpected } catch { return Seen(error) }
}

/// Something went well that should have failed.
struct Unexpected: Error {
    let value: String
}
