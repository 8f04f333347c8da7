// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Synchronization
import Testing

/// Rules THR that `ApplicationTests` does not test: every block runs once, on its queue, and never inside the call.
@Suite(.timeLimit(.minutes(10))) struct QueueTests {
    private let webview = MSALWebviewParameters(authPresentationViewController: NSObject())

    @Test func `THR-1 THR-6 blocks of every call run once, later, on the given queue`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            while true { try end.answer(try end.request()) }
        }
        let application = try broker.application()
        let account = try await Answers.result().account
        let queue = DispatchQueue(label: "test")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let parameters = MSALAccountEnumerationParameters()
        parameters.completionBlockQueue = queue
        let silent = MSALSilentTokenParameters(scopes: ["openid"], account: account)
        silent.completionBlockQueue = queue
        let signout = MSALSignoutParameters()
        signout.signoutFromBrowser = true
        signout.completionBlockQueue = queue
        let (calls, signal) = AsyncStream.makeStream(of: String.self)
        let note: @Sendable (String) -> Void = { name in
            signal.yield(DispatchQueue.getSpecific(key: key) == true ? name : "\(name) elsewhere")
        }
        queue.sync {
            // This closure occupies the serial queue, so only a block that runs inside its call can come before
            // "first".
            application.accountsFromDevice(for: parameters) { _, _ in note("accounts") }
            application.getWPJMetaDataDevice(with: parameters, forTenantId: nil) { _, _ in note("registration") }
            application.acquireTokenSilent(with: silent) { _, _ in note("silent") }
            application.signout(with: account, signoutParameters: signout) { _, _ in note("signout") }
            signal.yield("first")
        }
        var seen: [String] = []
        for await call in calls.prefix(5) { seen.append(call) }
        #expect(seen.first == "first")
        #expect(Set(seen) == ["first", "accounts", "registration", "silent", "signout"])
    }

    @Test func `THR-4 a device token's block runs on a queue of the library, later`() async throws {
        let application = try ScriptedBroker().application()
        let isInside = Mutex(true)
        let wasInside = await withCheckedContinuation { continuation in
            isInside.withLock { _ in
                // If the block ran inside the call, it could not lock the mutex again here.
                application.getDeviceTokenForSharedDevice(withResource: "", scopes: nil) { _, error in
                    continuation.resume(returning: isInside.withLock { $0 } && error == nil)
                }
            }
        }
        #expect(!wasInside)
    }

    @Test func `THR-2 if the main queue is blocked, the log says so and the async form answers`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let application = try MSALPublicClientApplication(
                configuration: MSALPublicClientApplicationConfig(
                    clientId: "client-1", redirectUri: "msauth.org.example.worker://auth", authority: nil))
            let refused = MSALInteractiveTokenParameters(
                scopes: ["openid"],
                webviewParameters: MSALWebviewParameters(authPresentationViewController: NSObject()))
            let (lines, signal) = AsyncStream.makeStream(of: String.self)
            MSALGlobalConfig.loggerConfig.setLogCallback { level, line, _ in
                if level == .error { signal.yield(line ?? "") }
            }
            // Blocks the main queue until the process ends.
            await withCheckedContinuation { held in
                DispatchQueue.main.async {
                    held.resume()
                    DispatchSemaphore(value: 0).wait()
                }
            }
            application.acquireToken(with: refused) { _, _ in exit(1) }
            do { _ = try await application.acquireToken(with: refused) } catch {
                for await line in lines where line.contains("completionBlockQueue") { exit(7) }
            }
        }
    }
}
