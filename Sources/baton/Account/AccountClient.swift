// SPDX-License-Identifier: Apache-2.0
import CommandLineInterface
import Foundation
import Glibc
import MSAL
import OAuth

/// The command line in its role as an app of the device. It uses the same library as every other app.
struct AccountClient {
    private let application: MSALPublicClientApplication

    /// Makes a client of the broker of `device`.
    ///
    /// - Throws: ``CommandFailure`` if the library refuses the settings.
    init(_ device: DeviceOptions) throws {
        unsafe setenv("BATON_SOCKET", device.folder + "/broker.sock", 1)
        do {
            application = try MSALPublicClientApplication(
                configuration: MSALPublicClientApplicationConfig(
                    clientId: CommandLineApp.clientID, redirectUri: CommandLineApp.redirectURI, authority: nil))
        } catch { throw CommandFailure(error) }
    }

    /// The signed-in account as commands print it.
    struct Account: Encodable {
        let current: String?
        let username: String?
        let previous: String?

        var line: String { username.map { "\($0) is signed in." } ?? "Nobody is signed in." }
    }

    /// Returns the account that is signed in.
    ///
    /// - Throws: ``CommandFailure``.
    func current() async throws -> Account {
        do {
            let (current, previous) = try await application.currentAccount(with: nil)
            return Account(
                current: current?.identifier, username: current?.username, previous: previous?.identifier)
        } catch { throw CommandFailure(error) }
    }

    /// Signs a worker in; `hint` is a user name to prefill.
    ///
    /// - Throws: ``CommandFailure``.
    func signIn(hint: String?) async throws -> Account {
        let parameters = MSALInteractiveTokenParameters(
            scopes: ["User.Read"],
            webviewParameters: MSALWebviewParameters(authPresentationViewController: Presenter()))
        parameters.loginHint = hint
        do {
            let account = try await application.acquireToken(with: parameters).account
            return Account(current: account.identifier, username: account.username, previous: nil)
        } catch { throw CommandFailure(error) }
    }

    /// Emits an element each time the signed-in account may have changed. The element does not contain the account.
    func changes() -> AsyncStream<Void> {
        AsyncStream { continuation in
            let name = Notification.Name("SHARED_MODE_CURRENT_ACCOUNT_CHANGED")
            _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                continuation.yield()
            }
        }
    }

    /// The object on which the app presents pages. The library requires such an object, but the broker opens the
    /// browser itself.
    private final class Presenter {}
}

extension CommandFailure {
    /// Converts the library's error to cause, remedy and code.
    fileprivate init(_ error: any Error) {
        let error = error as NSError
        let text = error.userInfo[MSALErrorDescriptionKey] as? String ?? "The broker did not carry out the request."
        let inner = (error.userInfo[MSALInternalErrorCodeKey] as? NSNumber).map { "/\($0)" } ?? ""
        self.init(
            code: "msal_\(error.code)\(inner)", message: text,
            remedy: "See baton device status for the state of this device.")
    }
}
