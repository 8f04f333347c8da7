// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Redaction
import Synchronization
import UnixSocket

/// An app with a broker in its own process, which answers each request from a thread.
struct App {
    private let application: MSALPublicClientApplication

    init() throws {
        let replies = try Replies()
        let location = BrokerLocation(
            connect: { () throws(SocketError) in
                let (near, far) = try FrameConnection.pair(maximumFrame: Wire.maximumFrame)
                Thread { Self.serve(far, replies) }.start()
                return near
            }, isKnownPersonal: { false })
        guard let authority = URL(string: Replies.authority) else { throw Unexpected() }
        application = try MSALPublicClientApplication(
            configuration: MSALPublicClientApplicationConfig(
                clientId: Replies.client, redirectUri: Replies.redirectURI, authority: MSALAADAuthority(url: authority)),
            broker: BrokerConnection(location: location))
    }

    /// Answers with bytes that were encoded once, so that few instructions of the broker are counted.
    private static func serve(_ connection: FrameConnection, _ replies: Replies) {
        var known: [BrokerProtocol.Operation: [UInt8]] = [:]
        do {
            while true {
                let body = unsafe try connection.read().body.withUnsafeBytes { unsafe [UInt8]($0) }
                let message = try ClientMessage(bytes: body)
                guard case .request(let request) = message else {
                    try connection.write(replies.answer(to: message))
                    continue
                }
                var answer = try known[request.operation] ?? replies.answer(to: message)
                known[request.operation] = answer
                // The id is the last member of a reply: …"sso_request_id":"ID"}
                answer.replaceSubrange(answer.count - 38..<answer.count - 2, with: request.id.utf8)
                try connection.write(answer)
            }
        } catch {}
    }

    func cachedTokens(_ count: Int) throws {
        let account: Mutex<MSALAccount?> = Mutex(nil)
        try wait { done in
            application.getCurrentAccount(with: nil) { current, _, _ in
                account.withLock { $0 = current }
                done()
            }
        }
        guard let account = account.withLock({ $0 }) else { throw Unexpected() }
        for _ in 0..<count {
            let parameters = MSALSilentTokenParameters(scopes: [Replies.scope], account: account)
            try wait { done in
                application.acquireTokenSilent(with: parameters) { result, _ in if result != nil { done() } }
            }
        }
    }

    func currentAccounts(_ count: Int) throws {
        for _ in 0..<count {
            try wait { done in
                application.getCurrentAccount(with: nil) { account, _, _ in if account != nil { done() } }
            }
        }
    }

    private func wait(_ start: (@escaping @Sendable () -> Void) -> Void) throws {
        let semaphore = DispatchSemaphore(value: 0)
        start { semaphore.signal() }
        guard semaphore.wait(timeout: .now() + 60) == .success else { throw Unexpected() }
    }
}
