// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Synchronization
import Testing

/// The INIT, AUT, THR and LOG rules of docs/reference/msal-rules.md.
@Suite(.timeLimit(.minutes(10))) struct ApplicationTests {
    private func configuration(
        clientId: String = "client-1", redirectUri: String? = "msauth.org.example.worker://auth"
    ) -> MSALPublicClientApplicationConfig {
        MSALPublicClientApplicationConfig(clientId: clientId, redirectUri: redirectUri, authority: nil)
    }

    @Test(arguments: ["", " ", "\n\t"]) func `INIT-1 a blank client id is refused`(clientId: String) async throws {
        let error = try await seen { try MSALPublicClientApplication(configuration: configuration(clientId: clientId)) }
        #expect(error.asInternal == .internalErrorInvalidParameter)
        #expect(error.text.contains("clientId"))
    }

    @Test(arguments: ["msauth.org.example.worker://auth", "MSAUTH.Org.Example://AUTH", "msauth.a-b_c.1://auth"])
    func `INIT-5 a redirect URI that names an app is accepted`(redirectUri: String) throws {
        _ = try MSALPublicClientApplication(configuration: configuration(redirectUri: redirectUri))
    }

    static let redirectURIs: [(String?, String)] = [
        (nil, "missing"), (" ", "missing"), ("urn:ietf:wg:oauth:2.0:oob", "out-of-band"), ("auth", "scheme"),
        ("https://login.baton.test/", "web address"), ("http://localhost", "web address"),
        ("msalclient-1://auth", "msauth.<app id>"), ("msauth.://auth", "msauth.<app id>"),
        ("msauth://org.example.worker", "msauth.<app id>"), ("msauth.org.example.worker://other", "://auth"),
        ("msauth.org.example.worker://auth/", "://auth"), ("msauth.org.example.worker://auth#x", "://auth"),
        ("msauth.org.example.worker://auth?x=1", "://auth"), ("msauth.org.example.worker:auth", "://auth"),
    ]

    @Test(arguments: redirectURIs)
    func `INIT-3 INIT-6 any other redirect URI is refused, and the error says what is wrong`(
        redirectUri: String?, reason: String
    ) async throws {
        let error = try await seen {
            try MSALPublicClientApplication(configuration: configuration(redirectUri: redirectUri))
        }
        #expect(error.asInternal == .internalErrorInvalidRedirectURI)
        #expect(error.text.contains(reason))
    }

    @Test func `INIT-7 later changes to the configuration have no effect`() async throws {
        let asked = Mutex<String?>(nil)
        let broker = try ScriptedBroker { end in
            try end.greet()
            let request = try end.request()
            asked.withLock { $0 = request.parameters[.clientID] }
            try end.answer(request)
            end.waitForEnd()
        }
        let configuration = configuration()
        let application = try MSALPublicClientApplication(configuration: configuration, broker: broker.connection)
        configuration.clientId = "client-2"
        _ = try await application.deviceInformation(with: nil)
        #expect(asked.withLock { $0 } == "client-1")
    }

    @Test func `INIT-10 without an authority the common one is used`() {
        #expect(configuration().authority.url.absoluteString == "https://login.microsoftonline.com/common")
    }

    @Test(arguments: [
        ("https://Login.Baton.test/tenant/oauth2/v2.0?x=1#y", "https://login.baton.test/tenant"),
        ("https://login.baton.test:8443/tenant/", "https://login.baton.test:8443/tenant"),
    ])
    func `AUT-1 an authority consists of host and tenant`(given: String, expected: String) throws {
        #expect(try MSALAADAuthority(url: #require(URL(string: given))).url.absoluteString == expected)
    }

    @Test(arguments: [
        "http://login.baton.test/tenant", "https://login.baton.test", "https://login.baton.test/", "tenant",
        "https://login.baton.test/adfs", "https://login.baton.test/tfp/tenant/policy",
    ])
    func `AUT-1 an unsupported authority is refused`(given: String) async throws {
        let url = try #require(URL(string: given))
        #expect(try await seen { try MSALAADAuthority(url: url) }.asInternal == .internalErrorInvalidParameter)
    }

    @Test func `AUT-5 authorities are equal if their normalised addresses are`() throws {
        let left = try MSALAADAuthority(url: #require(URL(string: "https://login.baton.test/tenant/x")))
        let right = try MSALAADAuthority(url: #require(URL(string: "https://LOGIN.baton.test/tenant")))
        #expect(left == right)
        #expect(left.hash == right.hash)
    }

    @Test func `INT-14 no URL is accepted as the answer to a sign-in`() throws {
        let url = try #require(URL(string: "msauth.org.example.worker://auth?code=x"))
        #expect(!MSALPublicClientApplication.handleMSALResponse(url, sourceApplication: nil))
    }

    @Test func `THR-1 blocks run later and on the given queue, even for parameter errors`() async throws {
        let broker = try ScriptedBroker { end in
            try end.greet()
            while true { try end.answer(try end.request(), TestValues.current(nil, previous: nil)) }
        }
        let application = try broker.application()
        let queue = DispatchQueue(label: "test")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let parameters = MSALParameters()
        parameters.completionBlockQueue = queue
        let webview = MSALWebviewParameters(authPresentationViewController: NSObject())
        let token = MSALInteractiveTokenParameters(scopes: ["openid"], webviewParameters: webview)
        token.completionBlockQueue = queue
        let (events, signal) = AsyncStream.makeStream(of: String.self)
        let note: @Sendable () -> Void = {
            signal.yield(DispatchQueue.getSpecific(key: key) == true ? "block on the queue" : "block elsewhere")
        }
        queue.sync {
            // This closure occupies the serial queue: a queued block runs only after it returns.
            application.getDeviceInformation(with: parameters) { _, _ in note() }
            application.getCurrentAccount(with: parameters) { _, _, _ in note() }
            application.acquireToken(with: token) { _, _ in note() }
            signal.yield("the calls returned")
        }
        var seen: [String] = []
        for await event in events.prefix(4) { seen.append(event) }
        #expect(seen == ["the calls returned"] + [String](repeating: "block on the queue", count: 3))
    }

    @Test func `THR-2 without a queue a token's block runs on the main queue`() async throws {
        let broker = try ScriptedBroker()
        let application = try broker.application()
        let webview = MSALWebviewParameters(authPresentationViewController: NSObject())
        let parameters = MSALInteractiveTokenParameters(scopes: ["openid"], webviewParameters: webview)
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        let isMain = await withCheckedContinuation { continuation in
            application.acquireToken(with: parameters) { _, _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true)
            }
        }
        #expect(isMain)
    }

    @Test func `LOG-1 LOG-3 only the first callback of a process gets log lines, which contain no name or token`()
        async throws
    {
        let (lines, signal) = AsyncStream.makeStream(of: String.self)
        let second = Mutex(0)
        MSALGlobalConfig.loggerConfig.logLevel = .last
        MSALGlobalConfig.loggerConfig.setLogCallback { _, message, containsPII in
            signal.yield("\(containsPII) \(message ?? "")")
        }
        MSALGlobalConfig.loggerConfig.setLogCallback { _, _, _ in second.withLock { $0 += 1 } }
        // The library closes the connection after a sign-in, so the next request uses another connection.
        let broker = try ScriptedBroker(
            { end in
                try end.greet()
                try end.answer(try end.request(), TestValues.token(TestValues.amara, accessToken: "CANARY"))
                end.waitForEnd()
            },
            { end in
                try end.greet()
                try end.answer(try end.request(), TestValues.current(TestValues.amara, previous: nil))
                end.waitForEnd()
            })
        let application = try broker.application()
        _ = try await application.acquireToken(
            with: MSALInteractiveTokenParameters(
                scopes: ["user.read"],
                webviewParameters: MSALWebviewParameters(authPresentationViewController: NSObject())))
        _ = try await application.currentAccount(with: nil)
        var sawRefusal = false
        var sawAnswer = false
        for await line in lines {
            #expect(!line.contains("amara") && !line.contains("CANARY") && line.hasPrefix("false"))
            sawRefusal = sawRefusal || line.contains("was set already")
            sawAnswer = sawAnswer || line.contains("baton.current_account")
            if sawRefusal && sawAnswer { break }
        }
        #expect(sawRefusal && sawAnswer)
        #expect(second.withLock { $0 } == 0)
    }
}
