// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// The headers that sign the worker's browser in. Only programs that the browser has started get them, and only for
    /// listed addresses.
    @Suite struct BrowserHeaderTests {
        private static let version = FlatMap([Key.protocolVersion: "4"])

        private func headers(_ url: String, types: String = "0") -> FlatMap {
            FlatMap([Key.protocolVersion: "4", .ssoURL: url, .typesOfHeader: types])
        }

        private func message(_ payload: [String: Any]) throws -> FlatMap {
            let text = String(decoding: try JSONSerialization.data(withJSONObject: payload), as: UTF8.self)
            return FlatMap([Key.protocolVersion: "4", .payload: text])
        }

        /// The headers of an answer, by name.
        private func given(_ outcome: Result<FlatMap, BrokerError>) throws -> [String: String] {
            let text = try outcome.get()[.ssoCookies] ?? ""
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [[String: Any]]] ?? [:]
            return (object["prt_headers", default: []] + object["device_headers", default: []])
                .compactMap { $0["header"] as? [String: String] }.reduce(into: [:]) { all, header in
                    all.merge(header) { own, _ in own }
                }
        }

        /// The nonce in a header's signed token.
        private func nonce(of token: String?) throws -> String? {
            let payload = try #require(token).split(separator: ".")[1]
                .replacing("-", with: "+").replacing("_", with: "/")
            let padded = String(payload) + String(repeating: "=", count: (4 - payload.count % 4) % 4)
            let claims = try JSONSerialization.jsonObject(with: try #require(Data(base64Encoded: padded)))
            return (claims as? [String: Any])?["request_nonce"] as? String
        }

        private static let (credential, device) = ("x-ms-RefreshTokenCredential", "x-ms-DeviceCredential")

        @Test func `the worker's browser gets fresh headers for listed addresses, and no other program gets any`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let address = live.facts.authority + "/oauth2/v2.0/authorize?client_id=x"
            let outside = try RawApp(live)
            try await outside.greet()
            #expect(try await outside.refusal(.getSSOCookies, headers(address)).reason == .outsideBrowser)
            #expect(try await outside.refusal(.browserAddresses, Self.version).reason == .outsideBrowser)

            // The browser already runs before the worker has signed in.
            try await live.whileTyping("Amara") {
                let early = try RawApp(live, socket: LiveEnvironment.below)
                try await early.greet()
                #expect(try await early.refusal(.getSSOCookies, headers(address)).reason == .nobody)
                let told = try await early.ask(.browserAddresses, Self.version).get()[.browserAddresses]
                #expect(told?.contains(try #require(URL(string: live.facts.authority)?.host())) == true)
                #expect(told?.contains("microsoft") == false)
            }
            let browser = try RawApp(live, socket: LiveEnvironment.below)
            try await browser.greet()
            let first = try given(try await browser.ask(.getSSOCookies, headers(address)))
            let second = try given(try await browser.ask(.getSSOCookies, headers(address)))
            #expect(Set(first.keys) == [Self.credential, Self.device])
            #expect(try nonce(of: first[Self.credential]) == nonce(of: first[Self.device]))
            #expect(try nonce(of: first[Self.credential]) != nonce(of: second[Self.credential]))
            let (withHeaders, without) = (
                try await live.signsIn(at: address, first), try await live.signsIn(at: address, [:])
            )
            #expect(withHeaders && !without)
            let bound = try given(
                try await browser.ask(.getSSOCookies, headers(address + "&sso_nonce=AbC-_9", types: "1")))
            #expect(try nonce(of: bound[Self.credential]) == "AbC-_9" && bound.count == 1)
            // The session's other programs are refused, even while the browser runs.
            let beside = try RawApp(live)
            try await beside.greet()
            #expect(try await beside.refusal(.getSSOCookies, headers(address)).reason == .outsideBrowser)
            let asked = try message(["method": "GetCookies", "sender": address, "uri": address])
            #expect(try await beside.refusal(.browserNativeMessage, asked).reason == .outsideBrowser)
            let app = FlatMap([Key.clientID: live.facts.apps[0].clientID])
            var asApp = headers(address)
            asApp.merge(app)
            #expect(try await beside.refusal(.getSSOCookies, asApp).reason == .cookiesUnlisted)

            for (other, reason) in [
                ("https://login.microsoftonline.com/common", BrokerError.Reason.addressOfOther),
                ("https://evil.example/?" + address, .addressOfOther),
                (address.replacing("https://", with: "http://"), .addressMalformed),
                (address.replacing("https://", with: "https://user@"), .addressMalformed),
                (address.replacing("/oauth2", with: "/%2e%2e/oauth2"), .addressMalformed),
            ] {
                #expect(try await browser.refusal(.getSSOCookies, headers(other)).reason == reason, "\(other)")
                let message = try message(["method": "GetCookies", "sender": other, "uri": address])
                #expect(try await browser.refusal(.browserNativeMessage, message).reason == reason, "\(other)")
            }
            let other = FlatMap(headers(address).entries.merging(["home_account_id": "a.b"]) { _, new in new })
            #expect(try await browser.refusal(.getSSOCookies, other).reason == .otherAccount)
        }

        @Test func `the browser's extension gets answers in its own format, and its sign-out signs out the device`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let address = live.facts.authority + "/oauth2/v2.0/authorize?client_id=x"
            let amara = try await live.whileTyping("Amara") {}
            let browser = try RawApp(live, socket: LiveEnvironment.below)
            try await browser.greet()
            func payload(_ map: FlatMap) async throws -> [String: Any] {
                let answer = try await browser.ask(.browserNativeMessage, map).get()
                #expect(answer[.responseType] == "operation_browser_native_message_response")
                let text = answer[.payload] ?? ""
                return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
            }
            let cookies = try await payload(
                try message(["method": "GetCookies", "sender": address, "uri": address]))
            let entries = cookies["response"] as? [[String: String]] ?? []
            #expect(entries.map { $0["name"] } == [Self.credential, Self.device])
            let contracts = try await payload(
                try message(["method": "browser_native_get_supported_contracts_operation"]))
            #expect((contracts["contracts"] as? String)?.contains("get-token-and-sign-out") == true)

            // A page gets tokens for a redirect URI at its own address, if that redirect URI is registered for the
            // client.
            let page: [String: Any] = [
                "method": "GetToken", "sender": "https://page.example/",
                "request": [
                    "clientId": live.facts.apps[0].clientID, "scope": "User.Read", "accountId": amara,
                    "redirectUri": "https://page.example/callback", "authority": live.facts.authority,
                ],
            ]
            let unregistered = try await browser.refusal(.browserNativeMessage, try message(page))
            #expect(unregistered.code == .invalidRequest || unregistered.code == .invalidClient, "\(unregistered)")
            var thief = page
            thief["sender"] = "https://evil.example/"
            #expect(try await browser.refusal(.browserNativeMessage, try message(thief)).code == .invalidRedirectURI)
            try await live.administer(
                "client", "add", "--name", "Page", "--redirect-uri", "https://page.example/callback", "--id",
                Self.pageClient)
            var registered = page
            registered["request"] = (page["request"] as? [String: Any])?.merging(["clientId": Self.pageClient]) { $1 }
            let token = try await payload(try message(registered))
            #expect(try await live.me(token["access_token"] as? String ?? "") == 200)
            #expect((token["account"] as? [String: String])?["id"] == amara)

            let stranger = try message(["method": "SignOut", "sender": address, "accountId": "a.b"])
            #expect(try await browser.refusal(.browserNativeMessage, stranger).code == .mismatchedAccount)
            let elsewhere = try message(["method": "SignOut", "sender": "https://evil.example", "accountId": amara])
            #expect(try await browser.refusal(.browserNativeMessage, elsewhere).reason == .addressOfOther)
            #expect(try await live.status().session == "signedIn")
            try browser.send(
                .request(
                    Request(
                        id: UUID().uuidString, operation: .browserNativeMessage,
                        parameters: try message(["method": "SignOut", "sender": address, "accountId": amara]),
                        isSilent: true)))
            // The browser ends before the answer can reach it.
            try await live.settle()
            #expect(try await live.app(1).accounts().current == nil)
        }

        private static let pageClient = "3b0d7f0a-5c1e-4a7d-9d3c-0f6a5b1c2d3e"
    }
}

extension LiveEnvironment {
    /// The socket of a program that the browser starts. The program forwards this socket's connections to the broker.
    fileprivate static let below = "run/below.sock"

    /// Signs in a person whose browser starts a program that connects to the broker. `body` runs before the password is
    /// typed.
    ///
    /// - Returns: the person's home account id.
    @discardableResult
    fileprivate func whileTyping(_ givenName: String, _ body: () async throws -> Void) async throws -> String {
        let typing = path("typing-\(UInt32.random(in: 0...UInt32.max))")
        guard unsafe mkfifo(typing, 0o600) == 0 else { throw TestProblem("mkfifo: error \(errno)") }
        defer { try? FileManager.default.removeItem(atPath: typing) }
        try? FileManager.default.removeItem(atPath: path(Self.below))
        let person = try person(givenName)
        let program = ["/usr/bin/python3", "-u", Repository.root + "/Tests/Proxies/socket_proxy.py"]
        try seat([
            "username": person.userName, "password": person.password, "waitsFor": typing,
            "starts": program + [path(Self.below), path("run/broker.sock")],
        ])
        let (below, signing) = (path(Self.below), try app(1))
        async let signedIn = signing.signIn()
        try await FolderWatch(path("run")).until("below the browser") {
            FileManager.default.fileExists(atPath: below)
        }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        try "".write(toFile: typing, atomically: false, encoding: .utf8)
        let account = try await signedIn.account
        try leave()
        try outcome.get()
        return try #require(account.identifier)
    }

    /// Whether the identity platform answers a request with these headers by redirecting to the app with a code.
    fileprivate func signsIn(at address: String, _ headers: [String: String]) async throws -> Bool {
        let url = try #require(URL(string: address))
        let script = """
            import http.client, json, os, socket, ssl
            host, port = os.environ["HOST"], int(os.environ["PORT"])
            tls = ssl.create_default_context(cafile=os.environ["ROOT"])
            connection = http.client.HTTPSConnection(host, port)
            connection.sock = tls.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname=host)
            connection.request("GET", os.environ["TARGET"], headers=json.loads(os.environ["HEADERS"]))
            answer = connection.getresponse()
            print(answer.status, "code" if "?code=" in (answer.getheader("Location") or "") else "nobody")
            """
        let app = facts.apps[0]
        let target =
            "\(url.path())?client_id=\(app.clientID)&response_type=code&scope=openid&redirect_uri=\(app.redirectURI)"
            + "&code_challenge=\(String(repeating: "A", count: 43))&code_challenge_method=S256&prompt=none"
        let environment = [
            "HOST": url.host() ?? "", "TARGET": target,
            "HEADERS": String(decoding: try JSONSerialization.data(withJSONObject: headers), as: UTF8.self),
        ]
        return try await printed(by: script, environment) == "302 code"
    }
}
