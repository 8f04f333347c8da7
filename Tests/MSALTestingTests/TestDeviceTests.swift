// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import MSALTesting
import Synchronization
import Testing

/// The scenarios that an app's own tests can simulate. Like an app's tests, these tests use public names only.
@Suite(.timeLimit(.minutes(5))) struct TestDeviceTests {
    private let device = TestDevice(answersWithin: .milliseconds(300), notifications: NotificationCenter())
    private let amara = TestWorker("amara@contoso.example", name: "Amara")
    private let bo = TestWorker("bo@contoso.example")
    private var webview: MSALWebviewParameters { MSALWebviewParameters(authPresentationViewController: NSObject()) }

    /// Creates the application inside `device.use`, with the initializer that apps use.
    private func app(_ clientId: String = "app") throws -> MSALPublicClientApplication {
        try device.use {
            try MSALPublicClientApplication(
                configuration: MSALPublicClientApplicationConfig(
                    clientId: clientId, redirectUri: "msauth.org.example.app://auth", authority: nil))
        }
    }

    private func signIn(
        _ app: MSALPublicClientApplication, prompt: MSALPromptType = .selectAccount
    ) async throws -> MSALResult {
        let parameters = MSALInteractiveTokenParameters(scopes: ["User.Read"], webviewParameters: webview)
        parameters.promptType = prompt
        return try await app.acquireToken(with: parameters)
    }

    private func token(_ app: MSALPublicClientApplication, of account: MSALAccount) async throws -> MSALResult {
        try await app.acquireTokenSilent(with: MSALSilentTokenParameters(scopes: ["User.Read"], account: account))
    }

    private func failure<Value>(_ body: () async throws -> Value) async throws -> NSError {
        do { _ = try await body() } catch { return error as NSError }
        throw Unexpected()
    }

    private func reason<Value>(_ body: () async throws -> Value) async throws -> String? {
        try await failure(body).userInfo[BatonReasonKey] as? String
    }

    @Test func `a failure describes itself by its name`() {
        #expect("\(TestFailure.noNetwork) \(TestFailure.silence)" == "noNetwork silence")
        #expect("\([TestFailure.appLocked, .protectionPolicyRequired])" == "[appLocked, protectionPolicyRequired]")
    }

    @Test func `a worker signs in through the app, gets tokens and signs out`() async throws {
        let app = try app()
        #expect(try await app.deviceInformation(with: nil).deviceMode == .shared)
        #expect(try await app.currentAccount(with: nil) == (nil, nil))
        device.signInsEnd(with: .worker(amara))
        let result = try await signIn(app)
        #expect(result.account == amara.account && result.account.username == "amara@contoso.example")
        #expect(result.scopes.contains("User.Read") && result.idToken != nil)
        #expect(result.tenantProfile.claims?["name"] as? String == "Amara")
        #expect(device.signedIn == amara)
        let first = try await token(app, of: amara.account)
        #expect(first.accessToken != result.accessToken && first.expiresOn ?? .distantPast > Date())
        #expect(try await app.currentAccount(with: nil) == (amara.account, nil))
        #expect(try await app.accountsFromDevice(for: MSALAccountEnumerationParameters()) == [amara.account])
        let parameters = MSALSignoutParameters(webviewParameters: webview)
        #expect(try await app.signout(with: amara.account, signoutParameters: parameters))
        #expect(device.signedIn == nil)
        #expect(try await app.currentAccount(with: nil) == (nil, amara.account))
        #expect(try await app.currentAccount(with: nil) == (nil, nil))
        #expect(try await reason { try await token(app, of: amara.account) } == "nobody_signed_in")
    }

    @Test func `if another worker is signed in, the app is notified and told whom it knew before`() async throws {
        let notifications = NotificationCenter()
        let device = TestDevice(notifications: notifications)
        let app = try device.application(
            MSALPublicClientApplicationConfig(
                clientId: "app", redirectUri: "msauth.org.example.app://auth", authority: nil))
        device.signIn(amara)
        #expect(try await app.currentAccount(with: nil) == (amara.account, nil))
        let (notes, signal) = AsyncStream.makeStream(of: Void.self)
        let observer = notifications.addObserver(
            forName: Notification.Name("SHARED_MODE_CURRENT_ACCOUNT_CHANGED"), object: nil, queue: nil
        ) { _ in signal.yield() }
        defer { notifications.removeObserver(observer) }
        device.signIn(bo)
        var iterator = notes.makeAsyncIterator()
        await iterator.next()
        #expect(try await app.currentAccount(with: nil) == (bo.account, amara.account))
        #expect(try await app.currentAccount(with: nil) == (bo.account, bo.account))
        #expect(try await reason { try await token(app, of: amara.account) } == "other_account")
    }

    @Test func `code that asks once after each change is told of each worker once`() async throws {
        let app = try app()
        let chen = TestWorker("chen@contoso.example")
        var told: [[TestWorker?]] = []
        for worker in [amara, nil, bo, nil, chen] {
            if let worker { device.signIn(worker) } else { device.signOut() }
            let (current, previous) = try await app.currentAccount(with: nil)
            told.append([current, previous].map { account in [amara, bo, chen].first { $0.account == account } })
        }
        #expect(told == [[amara, nil], [nil, amara], [bo, nil], [nil, bo], [chen, nil]])
    }

    @Test func `two apps of one process are notified separately`() async throws {
        let (first, second) = (try app("first"), try app("second"))
        device.signIn(amara)
        #expect(try await first.currentAccount(with: nil).0 == amara.account)
        device.signOut()
        #expect(try await first.currentAccount(with: nil) == (nil, amara.account))
        #expect(try await second.currentAccount(with: nil) == (nil, nil))
    }

    @Test func `if no outcome is set for a page, the person closes it`() async throws {
        let app = try app()
        #expect(try await failure { try await signIn(app) }.code == MSALError.userCanceled.rawValue)
        device.signInsEnd(with: .failure(.noNetwork), .canceled, .worker(bo))
        #expect(try await reason { try await signIn(app) } == "network_failed")
        #expect(try await reason { try await signIn(app) } == "sign_in_canceled")
        #expect(try await signIn(app).account == bo.account)
    }

    @Test func `a page stays open until somebody finishes it, or the app cancels`() async throws {
        let app = try app()
        device.signInsEnd(with: .staysOpen)
        async let result = signIn(app)
        await device.reached(.acquireToken)
        #expect(device.finishSignIn(.worker(amara)))
        #expect(try await result.account == amara.account)
        #expect(!device.finishSignIn(.worker(bo)))
    }

    @Test func `while a worker is signed in nobody else can sign in, and nobody is prompted`() async throws {
        let app = try app()
        device.signIn(amara)
        #expect(try await signIn(app).account == amara.account)
        #expect(try await reason { try await signIn(app, prompt: .login) } == "already_signed_in")
        let parameters = MSALInteractiveTokenParameters(scopes: ["User.Read"], webviewParameters: webview)
        parameters.account = bo.account
        #expect(try await reason { try await app.acquireToken(with: parameters) } == "other_account")
    }

    @Test func `an account that the app removed gets no silent token until it signs in again`() async throws {
        let app = try app()
        device.signIn(amara)
        _ = try await token(app, of: amara.account)
        try app.remove(amara.account)
        #expect(try await reason { try await token(app, of: amara.account) } == "account_removed")
        #expect(try app.allAccounts().isEmpty)
        #expect(try await signIn(app).account == amara.account)
        _ = try await token(app, of: amara.account)
        #expect(try app.allAccounts() == [amara.account])
    }

    @Test func `while another app's sign-in page is open, the app cannot open one`() async throws {
        let app = try app()
        device.openSignInOfOtherApp()
        device.signInsEnd(with: .worker(bo))
        #expect(try await reason { _ = try await signIn(app) } == "sign_in_running")
        device.signIn(amara)
        #expect(try await app.currentAccount(with: nil).0 == amara.account)
        device.signOut()
        #expect(try await signIn(app).account == bo.account)
        // A page that another app opens while a worker is signed in has no effect.
        device.openSignInOfOtherApp()
        device.signOut()
        device.signInsEnd(with: .worker(amara))
        #expect(try await signIn(app).account == amara.account)
    }

    @Test func `on a device that the directory has removed nobody is signed in, and nobody can sign in`() async throws {
        let app = try app()
        device.signIn(amara)
        device.removeDevice()
        #expect(device.signedIn == nil)
        device.signInsEnd(with: .worker(bo))
        #expect(try await reason { _ = try await signIn(app) } == "device_removed")
    }

    static let refusals: [(TestFailure, Int, String)] = [
        (.interactionRequired, -50002, "interaction_required"), (.canceled, -50005, "sign_in_canceled"),
        (.noNetwork, -50000, "network_failed"), (.signedInOffline, -50000, "signed_in_offline"),
        (.serverFailed, -50000, "server_failed"), (.otherWorker, -50000, "other_account"),
        (.unknownClient, -50000, "unknown_client"), (.appBlocked, -50000, "app_blocked"),
        (.appLocked, -50000, "app_locked"), (.deviceNotShared, -50000, "device_not_shared"),
        (.signInRunning, -50000, "sign_in_running"), (.accountRemoved, -50002, "account_removed"),
        (.deviceDisabled, -50002, "device_disabled"), (.deviceRemoved, -50002, "device_removed"),
        (.joinRequired, -50001, "join_required"), (.protectionPolicyRequired, -50004, "protection_policy"),
        (.noWindow, -50000, "agent_missing"), (.garbage, -50000, "broker_corrupted"),
        (.lostConnection, -50000, "connection_ended"), (.silence, -50000, "broker_too_late"),
    ]

    /// What the device's own texts say about the cause.
    private static let causes = [
        "signedInOffline": "signed in without the server", "appBlocked": "AppBlockList",
        "deviceDisabled": "The directory has disabled the device. Ask an administrator",
        "deviceRemoved": "The directory does not list the device any more. Ask an operator",
        "accountRemoved": "The app has removed the account.", "unknownClient": "baton-dev run-app",
    ]

    @Test(arguments: refusals)
    func `a call fails with the library's error for the broker's answer, and the next call succeeds`(
        failure: TestFailure, code: Int, reason: String
    ) async throws {
        let app = try app()
        device.signIn(amara)
        // The library repeats a request once if the connection ends or the reply is unreadable.
        device.fail(.acquireTokenSilent, with: failure, times: [.garbage, .lostConnection].contains(failure) ? 2 : 1)
        let error = try await self.failure { try await token(app, of: amara.account) }
        #expect(error.domain == MSALErrorDomain && error.code == code)
        #expect(error.userInfo[BatonReasonKey] as? String == reason)
        let text = try #require(error.userInfo[MSALErrorDescriptionKey] as? String)
        #expect(!text.isEmpty && Self.causes[failure.description].map { text.contains($0) } != false, "\(text)")
        _ = try await token(app, of: amara.account)
    }

    @Test func `if fewer scopes are granted than requested, the error contains the token`() async throws {
        let app = try app()
        device.signIn(amara)
        device.decline(scopes: ["User.Read"])
        let error = try await failure { try await token(app, of: amara.account) }
        #expect(error.code == MSALError.serverDeclinedScopes.rawValue)
        #expect((error.userInfo[MSALInvalidResultKey] as? MSALResult)?.account == amara.account)
    }

    @Test func `a stopped broker is an error, and is found again when it starts`() async throws {
        let app = try app()
        _ = try await app.deviceInformation(with: nil)
        device.stopBroker()
        #expect(try await reason { try await app.deviceInformation(with: nil) } == "broker_silent")
        device.startBroker()
        #expect(try await app.deviceInformation(with: nil).deviceMode == .shared)
    }

    @Test func `a personal device has no broker, which is an answer to one call and an error in all others`()
        async throws
    {
        device.setMode(.personal)
        let app = try app()
        #expect(try await app.deviceInformation(with: nil).deviceMode == .default)
        #expect(try await reason { try await app.currentAccount(with: nil) } == "personal_device")
        try app.remove(amara.account)
    }

    @Test func `a token expires by the clock of the test`() async throws {
        let device = TestDevice(now: { Date(timeIntervalSince1970: 1_000_000) }, notifications: NotificationCenter())
        let app = try await device.use { () async throws in
            try MSALPublicClientApplication(
                configuration: MSALPublicClientApplicationConfig(
                    clientId: "app", redirectUri: "msauth.org.example.app://auth", authority: nil))
        }
        device.signIn(bo)
        #expect(try await token(app, of: bo.account).expiresOn == Date(timeIntervalSince1970: 1_003_600))
    }

    @Test func `an app sees only the calls that it made, in order`() async throws {
        let app = try app()
        device.signIn(amara)
        _ = try await app.currentAccount(with: nil)
        device.signOut()
        _ = try await app.currentAccount(with: nil)
        _ = try await app.currentAccount(with: nil)
        _ = try await app.deviceTokenForSharedDevice(withResource: "https://graph.example.test", scopes: nil)
        #expect(
            device.calls == [
                .currentAccount, .currentAccount, .acknowledgement, .currentAccount, .deviceInformation, .deviceToken,
            ])
    }

    @Test func `a test worker creates accounts and results for code that needs them`() throws {
        let result = try amara.result(scopes: ["Mail.Read"], accessToken: "secret")
        #expect(result.account == amara.account && result.accessToken == "secret" && result.scopes == ["Mail.Read"])
        #expect(result.authorizationHeader == "Bearer secret")
        #expect(amara.account.identifier == TestWorker("Amara@Contoso.example").identifier)
        #expect(amara.account != bo.account && UUID(uuidString: amara.objectId) != nil)
    }
}

private struct Unexpected: Error {}
