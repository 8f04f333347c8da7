// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import Synchronization
import Testing

/// Subclasses of the application class that override its methods, as in apps' own tests with Microsoft's library.
@Suite struct SubclassTests {
    @Test func `a subclass that overrides the block forms also changes the async forms`() async throws {
        let application = try MockApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: "client-1", redirectUri: "msauth.org.example.worker://auth", authority: nil))
        let account = MockAccount(identifier: "a.t", username: nil, environment: "login.baton.test")
        #expect(account.username == "mock@baton.test")
        let web = MSALWebviewParameters(authPresentationViewController: NSObject())
        #expect(try await application.deviceInformation(with: nil).deviceMode == .default)
        #expect(try await application.currentAccount(with: nil) == (nil, nil))
        #expect(try await application.accountsFromDevice(for: MSALAccountEnumerationParameters()).isEmpty)
        let asked = MSALInteractiveTokenParameters(scopes: ["user.read"], webviewParameters: web)
        await #expect(throws: MockFailure.self) { try await application.acquireToken(with: asked) }
        let silent = MSALSilentTokenParameters(scopes: ["user.read"], account: account)
        await #expect(throws: MockFailure.self) { try await application.acquireTokenSilent(with: silent) }
        let signOut = MSALSignoutParameters(webviewParameters: web)
        #expect(try await application.signout(with: account, signoutParameters: signOut))
        #expect(
            application.called.withLock { $0 } == [
                "device", "current", "accounts", "interactive", "silent", "sign-out",
            ])
    }

    @Test func `a block that gets neither a value nor an error is an error in async code`() async throws {
        let application = try SilentApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: "client-1", redirectUri: "msauth.org.example.worker://auth", authority: nil))
        #expect(
            try await seen { try await application.deviceInformation(with: nil) }.asInternal
                == .internalErrorUnexpected)
    }

    @Test func `a subclass can refuse its configuration by throwing`() {
        #expect(throws: MockFailure.self) {
            try RefusingApplication(configuration: MSALPublicClientApplicationConfig(clientId: ""))
        }
    }
}

private struct MockFailure: Error {}

private final class MockApplication: MSALPublicClientApplication, @unchecked Sendable {
    let called = Mutex<[String]>([])

    private func note(_ name: String) { called.withLock { $0.append(name) } }

    override func getDeviceInformation(
        with parameters: MSALParameters?,
        completionBlock: @escaping @Sendable (MSALDeviceInformation?, (any Error)?) -> Void
    ) {
        note("device")
        completionBlock(MSALDeviceInformation(), nil)
    }

    override func getCurrentAccount(
        with parameters: MSALParameters?,
        completionBlock: @escaping @Sendable (MSALAccount?, MSALAccount?, (any Error)?) -> Void
    ) {
        note("current")
        completionBlock(nil, nil, nil)
    }

    override func accountsFromDevice(
        for parameters: MSALAccountEnumerationParameters,
        completionBlock: @escaping @Sendable ([MSALAccount]?, (any Error)?) -> Void
    ) {
        note("accounts")
        completionBlock([], nil)
    }

    override func acquireToken(
        with parameters: MSALInteractiveTokenParameters,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        note("interactive")
        completionBlock(nil, MockFailure())
    }

    override func acquireTokenSilent(
        with parameters: MSALSilentTokenParameters,
        completionBlock: @escaping @Sendable (MSALResult?, (any Error)?) -> Void
    ) {
        note("silent")
        completionBlock(nil, MockFailure())
    }

    override func signout(
        with account: MSALAccount, signoutParameters: MSALSignoutParameters,
        completionBlock: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        note("sign-out")
        completionBlock(true, nil)
    }
}

private final class SilentApplication: MSALPublicClientApplication, @unchecked Sendable {
    override func getDeviceInformation(
        with parameters: MSALParameters?,
        completionBlock: @escaping @Sendable (MSALDeviceInformation?, (any Error)?) -> Void
    ) { completionBlock(nil, nil) }
}

private final class RefusingApplication: MSALPublicClientApplication, @unchecked Sendable {
    override init(configuration: MSALPublicClientApplicationConfig) throws {
        guard !configuration.clientId.isEmpty else { throw MockFailure() }
        try super.init(configuration: configuration)
    }
}

private final class MockAccount: MSALAccount, @unchecked Sendable {
    override var username: String? { "mock@baton.test" }
}
