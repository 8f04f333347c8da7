// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import Foundation
import JSON
import Subprocess
import TestSupport
import Testing

/// Checks how Debian's Chromium applies the generated policies.
@Suite(.serialized) struct ChromiumPoliciesTests {
    private static let singleSignOn = BrowserExtension(
        chromium: ChromiumExtension(
            id: "abcdefghijklmnopabcdefghijklmnop", updateURL: "file:///usr/share/baton/browser/updates.xml"),
        firefoxID: "browser@baton.test", firefoxInstallURL: "file:///usr/share/baton/browser/browser.xpi",
        host: "org.baton.browser")

    private struct Answer: Decodable {
        struct Row: Decodable, Equatable {
            let status: String
            let level: String
            let error: String
        }

        let attached: Bool
        let policies: [String: Row]?
        let visits: [String: String]
    }

    /// Makes Chromium read policies, show its own list of them and visit addresses.
    private func chromium(_ policies: [String: JSONValue], visits: [String] = [], look: Bool = false) async throws
        -> Answer
    {
        let order = JSONValue.object([
            "policies": .object(policies), "visits": .array(visits.map(JSONValue.string)), "look": .bool(look),
        ])
        let result = try await run(
            .name("python3"), arguments: [Repository.root + "/Tests/Person/policies.py"],
            input: .array(JSONWriter.write(order)), output: .bytes(limit: 1 << 20), error: .string(limit: 1 << 20))
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
        return try JSONDecoder().decode(Answer.self, from: Data(result.standardOutput))
    }

    /// A page of an extension that Chromium contains: it shows PDF files.
    private static let viewer = "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html"

    /// The policies of a sign-in window whose start page is a file that every machine has.
    private func signIn(
        _ configuration: BrowserConfiguration, platform: String?, pages: [String] = []
    ) throws -> JSONValue {
        ChromiumPolicies.signIn(
            configuration, platform: try platform.map { text throws in WebOrigin(of: try WebAddress(text)) },
            pages: try pages.map { try #require(PlatformPage($0)) }, origin: "http://127.0.0.1:9",
            startPage: "file:///usr/share/doc/base-files/copyright",
            guarding: Self.singleSignOn.chromium, host: Self.singleSignOn.host)
    }

    private func policies(
        _ configuration: BrowserConfiguration, in context: PolicyContext = PolicyContext()
    ) throws -> [String: JSONValue] {
        try #require(ChromiumPolicies.make(configuration, in: context).object)
    }

    /// Allows the tests to inspect pages and to read Chromium's list of policies, which production forbids. Turns HTTPS
    /// upgrades off, because an upgraded address does not show how `http` is handled.
    private func inspectable(_ policies: [String: JSONValue], list: Bool = true) -> [String: JSONValue] {
        let allowed = (policies["URLAllowlist"]?.array ?? []) + (list ? [.string("chrome://policy")] : [])
        let changes: [String: JSONValue] = [
            "DeveloperToolsAvailability": .integer(1), "HttpsUpgradesEnabled": .bool(false),
            "RemoteDebuggingAllowed": .bool(true), "URLAllowlist": .array(allowed),
        ]
        return policies.merging(changes) { $1 }
    }

    @Test func `Chromium knows every policy, accepts its value and applies it`() async throws {
        let certificate = try await run(
            .name("sh"),
            arguments: [
                "-c",
                "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -subj /CN=CA -outform DER",
            ],
            output: .bytes(limit: 1 << 16), error: .discarded)
        let configuration = try BrowserConfiguration(
            homePage: WebAddress("https://portal.example.org/"),
            newTabPage: WebAddress("https://portal.example.org/new"),
            allowed: [AddressPattern("example.org")], blocked: [AddressPattern("*")], allowsPrinting: false,
            authorities: [AuthorityCertificate(der: certificate.standardOutput)])
        let context = PolicyContext(
            downloads: "/tmp/baton/Downloads", needed: [try AddressPattern("https://login.example.net")],
            startPages: "/tmp/baton/start", singleSignOn: Self.singleSignOn)
        for made in try [
            policies(configuration, in: context),
            #require(signIn(configuration, platform: "https://login.example.net").object),
            #require(ChromiumPolicies.home("http://127.0.0.1:4711").object),
        ] {
            let answer = try await chromium(inspectable(made), look: true)
            let rows = try #require(answer.policies)
            for name in made.keys.sorted() {
                #expect(rows[name] == Answer.Row(status: "OK", level: "Mandatory", error: ""), "\(name)")
            }
        }
        // As a control, the page reports a misspelt policy.
        let wrong = try await chromium(inspectable(["PasswordManagerEnabeld": .bool(false)]), look: true)
        #expect(wrong.policies?["PasswordManagerEnabeld"]?.error == "Unknown policy.")
    }

    @Test func `a debugger cannot attach to the pages of a worker's browser`() async throws {
        let policies = try policies(.standard)
        #expect(try await !chromium(policies).attached)
        // Either of the two policies alone keeps a debugger out.
        #expect(try await !chromium(policies.merging(["RemoteDebuggingAllowed": .bool(true)]) { $1 }).attached)
        #expect(try await !chromium(policies.merging(["DeveloperToolsAvailability": .integer(1)]) { $1 }).attached)
        #expect(try await chromium(inspectable(policies)).attached)
    }

    @Test(arguments: [
        (blocked: ["EXAMPLE.org", "10.0.0.1", "[2001:db8::1]"], allowed: []), (blocked: [".example.org"], allowed: []),
        (blocked: ["https://example.org/shop", "example.net"], allowed: []),
        (blocked: ["http://.example.org/shop/a%20b"], allowed: []),
        (blocked: ["*"], allowed: ["example.org/shop", "https://10.0.0.1"]),
        (blocked: ["example.org", "10.0.0.1"], allowed: ["www.example.org", ".example.org/shop", "http://10.0.0.1"]),
        (blocked: ["*", "example.org/shop"], allowed: [".example.org"]),
    ])
    func `Chromium blocks what the patterns match and nothing else`(blocked: [String], allowed: [String]) async throws {
        let addresses = [
            "https://example.org/", "http://example.org", "https://www.example.org/shop",
            "https://example.org:8443/shopping",
            "https://badexample.org/", "https://example.org.example.net/", "http://example.org/shop/a%20b?c#d",
            "https://10.0.0.1/", "https://110.0.0.1/", "https://[2001:db8::1]/", "https://example.com/?example.org",
        ]
        let configuration = try BrowserConfiguration(
            allowed: allowed.map { text throws in try AddressPattern(text) },
            blocked: blocked.map { text throws in try AddressPattern(text) })
        let answer = try await chromium(inspectable(policies(configuration)), visits: addresses)
        for address in addresses {
            let isBlocked = answer.visits[address] == "net::ERR_BLOCKED_BY_ADMINISTRATOR"
            #expect(
                isBlocked == !configuration.allows(try WebAddress(address)),
                "\(address): \(answer.visits[address] ?? "")")
        }
    }

    /// Pairs of an allowed and a blocked pattern, each pair for another host, and an address that matches both
    /// patterns.
    private static let pairs = [
        ("a.test", "a.test", "https://a.test/"), ("b.test", "b.test/admin", "https://b.test/admin"),
        ("c.test/shop", "c.test", "https://c.test/shop"), ("d.test", "www.d.test", "https://www.d.test/"),
        ("www.e.test", "e.test", "https://www.e.test/"), ("f.test", ".f.test", "https://f.test/"),
        (".g.test", "g.test", "https://g.test/"), (".h.test", "h.test/admin", "https://h.test/admin"),
        ("i.test/shop", ".i.test", "https://i.test/shop"), ("https://j.test", "j.test", "https://j.test/"),
        ("k.test", "https://k.test", "https://k.test/"), ("l.test", "l.test/", "https://l.test/"),
        ("10.0.0.1", "10.0.0.1", "https://10.0.0.1/"), ("10.0.0.2", "10.0.0.2/admin", "https://10.0.0.2/admin"),
        ("[2001:db8::1]", "[2001:db8::1]/a", "https://[2001:db8::1]/a"),
        ("m.test/shop", "www.m.test", "https://www.m.test/shop"), ("n.test", "*", "https://n.test/"),
    ]

    @Test func `Chromium opens what an accepted pair of patterns allows, and blocks what a refused pair blocks`()
        async throws
    {
        let lists = ["URLAllowlist": Self.pairs.map(\.0), "URLBlocklist": Self.pairs.map(\.1)]
        let answer = try await chromium(
            inspectable(lists.mapValues { .array($0.map(JSONValue.string)) }), visits: Self.pairs.map(\.2))
        for (allowed, blocked, address) in Self.pairs {
            let isRefused = try isConflict(allowed: AddressPattern(allowed), blocked: AddressPattern(blocked))
            #expect(
                (answer.visits[address] == "net::ERR_BLOCKED_BY_ADMINISTRATOR") == isRefused,
                "\(allowed), \(blocked): \(answer.visits[address] ?? "")")
        }
        // Firefox follows the allowed pattern everywhere, so the two browsers agree on every configuration that is
        // accepted.
    }

    private func isConflict(allowed: AddressPattern, blocked: AddressPattern) throws -> Bool {
        do {
            _ = try BrowserConfiguration(allowed: [allowed], blocked: [blocked])
            return false
        } catch let failure where failure.code == .patternConflict { return true }
    }

    @Test func `the sign-in window opens sign-in pages, and nothing else`() async throws {
        let configuration = try BrowserConfiguration(
            allowed: [AddressPattern("allowed.example")],
            signInAddresses: [AddressPattern("https://idp.example.net/sso")])
        let open = [
            "https://login.example.net/t/oauth2/v2.0/authorize?x=1", "https://idp.example.net/sso/page",
            "http://127.0.0.1:9/random", "file:///usr/share/doc/base-files/copyright",
        ]
        let closed = [
            "https://idp.example.net/other", "http://login.example.net/", "https://login.example.net:8443/",
            "https://www.login.example.net/", "https://allowed.example/",
            "https://portal.example.org/", "http://localhost:9/", "http://127.0.0.1:10/", "data:text/html,x",
            "ftp://login.example.net/", "file:///usr/share/doc/base-files/", "file:///usr/share/doc/bash/copyright",
            Self.viewer,
        ]
        let policies = try #require(
            signIn(configuration, platform: "https://login.example.net", pages: ["/t/oauth2/v2.0/authorize"]).object)
        let answer = try await chromium(
            inspectable(policies, list: false), visits: open + closed + Self.internalPages)
        for address in open { #expect(answer.visits[address] != "net::ERR_BLOCKED_BY_ADMINISTRATOR", "\(address)") }
        for address in closed + Self.internalPages {
            #expect(answer.visits[address] == "net::ERR_BLOCKED_BY_ADMINISTRATOR", "\(address)")
        }
    }

    @Test(arguments: ["https://10.0.0.1:8443", "https://[2001:db8::1]", "https://login.example.net:8443"])
    func `the sign-in window opens one port of the platform's host`(_ origin: String) async throws {
        let policies = try #require(signIn(.standard, platform: origin + "/x", pages: ["/"]).object)
        let closed = ["https://10.0.0.1/", "https://[2001:db8::1]:8443/", "https://login.example.net/"]
        let answer = try await chromium(inspectable(policies, list: false), visits: [origin + "/"] + closed)
        #expect(answer.visits[origin + "/"] != "net::ERR_BLOCKED_BY_ADMINISTRATOR")
        for address in closed {
            #expect(answer.visits[address] == "net::ERR_BLOCKED_BY_ADMINISTRATOR", "\(address)")
        }
    }

    @Test func `the sign-in window opens the platform's pages of its own sign-in, and of no other request`()
        async throws
    {
        let (origin, proof) = ("https://login.example.net", "code_challenge=aB3-_x&code_challenge_method=S256")
        let policies = try #require(
            signIn(.standard, platform: origin, pages: ["/common/oauth2/v2.0/authorize?" + proof, "/common/login"])
                .object)
        let open = [
            "/common/oauth2/v2.0/authorize?client_id=a&\(proof)&state=b",
            "/common/oauth2/v2.0/authorize?code_challenge_method=S256&code_challenge=aB3-_x", "/common/login",
        ]
        let closed = [
            "/", "/common/oauth2/deviceauth", "/common/oauth2/deviceauth?\(proof)", "/devicelogin",
            "/common/oauth2/v2.0/authorize", "/common/oauth2/authorize?\(proof)",
            "/other/oauth2/v2.0/authorize?\(proof)",
            "/common/oauth2/v2.0/authorize?code_challenge=aB3-_x",
            "/common/oauth2/v2.0/authorize?code_challenge=ab3-_x&code_challenge_method=S256",
            "/common/oauth2/v2.0/authorize?code_challenge=other&code_challenge_method=S256",
            "/common/oauth2/v2.0/authorize?code_challenge=other&code_challenge_method=S256#\(proof)",
            "/common/oauth2/v2.0/authorize?code_challenge=other&code_challenge_method=S256&x=code_challenge=aB3-_x",
            "/common/oauth2/v2.0/logout", "/common/login/../oauth2/deviceauth", "/other/login",
        ]
        let answer = try await chromium(
            inspectable(policies, list: false), visits: (open + closed).map { origin + $0 })
        for page in open { #expect(answer.visits[origin + page] != "net::ERR_BLOCKED_BY_ADMINISTRATOR", "\(page)") }
        for page in closed { #expect(answer.visits[origin + page] == "net::ERR_BLOCKED_BY_ADMINISTRATOR", "\(page)") }
        // Without a sign-in at the platform, as when a PIN is asked for, the window opens none of the platform's pages.
        let none = try #require(signIn(.standard, platform: origin).object)
        #expect(none["URLAllowlist"]?.array?.contains { $0.string?.hasPrefix(origin) == true } == false)
    }

    @Test func `the home window opens the home screen's page, and nothing else`() async throws {
        let policies = try #require(
            ChromiumPolicies.home("http://127.0.0.1:9").object)
        let closed = [
            "http://127.0.0.1:10/", "http://localhost:9/", "https://portal.example.org/", "data:text/html,x",
            Self.viewer,
        ]
        let answer = try await chromium(
            inspectable(policies, list: false), visits: ["http://127.0.0.1:9/"] + closed + Self.internalPages)
        #expect(answer.visits["http://127.0.0.1:9/"] != "net::ERR_BLOCKED_BY_ADMINISTRATOR")
        for address in closed + Self.internalPages {
            #expect(answer.visits[address] == "net::ERR_BLOCKED_BY_ADMINISTRATOR", "\(address)")
        }
    }

    @Test func `sign-in pages, start pages and allowed addresses open even if everything is blocked`()
        async throws
    {
        let configuration = try BrowserConfiguration(
            allowed: [AddressPattern("https://portal.example.org/a")],
            blocked: ["*", ".login.example.net", "https://www.login.example.net", "login.example.net/x", "127.0.0.1/r"]
                .map { text throws in try AddressPattern(text) })
        let context = PolicyContext(
            needed: [
                WebOrigin(of: try WebAddress("https://login.example.net")).pattern,
                try AddressPattern("http://127.0.0.1"),
            ], startPages: "/usr/share/doc")
        let open = [
            "https://portal.example.org/a/b", "https://login.example.net/", "https://login.example.net/x",
            "http://127.0.0.1:9/random", "file:///usr/share/doc/chromium",
        ]
        let closed = [
            "https://portal.example.org/", "http://login.example.net/", "http://login.example.net/x",
            "https://www.login.example.net/", "https://x.login.example.net/", "file:///etc/passwd",
            "https://127.0.0.1/", "https://127.0.0.1/r",
        ]
        let answer = try await chromium(inspectable(policies(configuration, in: context)), visits: open + closed)
        for address in open { #expect(answer.visits[address] != "net::ERR_BLOCKED_BY_ADMINISTRATOR", "\(address)") }
        for address in closed { #expect(answer.visits[address] == "net::ERR_BLOCKED_BY_ADMINISTRATOR", "\(address)") }
    }

    /// Pages with which a person could watch, debug or change the browser, or read the device's files.
    private static let internalPages = [
        "chrome://inspect/", "chrome://net-export/", "chrome://net-internals/", "chrome://tracing/", "chrome://flags/",
        "chrome://settings/", "chrome://extensions/", "chrome://version/", "chrome://device-log/",
        "chrome://webrtc-internals/", "chrome://user-actions/", "chrome://policy/", "file:///", "file:///etc/passwd",
        "file:///tmp/", "view-source:https://portal.example.org/",
        "chrome-untrusted://new-tab-page/", "devtools://devtools/bundled/inspector.html",
    ]

    @Test(arguments: [[], ["*"]])
    func `the browser's own pages and the device's files are closed`(blocked: [String]) async throws {
        let configuration = try BrowserConfiguration(
            blocked: blocked.map { text throws in try AddressPattern(text) })
        let context = PolicyContext(downloads: "/usr/share/doc/bash", startPages: "/usr/share/doc/base-files")
        let open = [
            "chrome://downloads/", "file:///usr/share/doc/bash/copyright", "file:///usr/share/doc/base-files/copyright",
        ]
        let answer = try await chromium(
            inspectable(policies(configuration, in: context), list: false), visits: Self.internalPages + open)
        for address in Self.internalPages {
            #expect(answer.visits[address] == "net::ERR_BLOCKED_BY_ADMINISTRATOR", "\(address)")
        }
        for address in open { #expect(answer.visits[address] == "", "\(address)") }
    }

    @Test func `no window has a dialog for files`() throws {
        let signIn = try #require(
            signIn(.standard, platform: nil).object)
        #expect(signIn["AllowFileSelectionDialogs"] == .bool(false))
        #expect(try policies(.standard)["AllowFileSelectionDialogs"] == .bool(false))
    }

    @Test func `no page fills the screen or records it`() throws {
        for name in ["FullscreenAllowed", "ScreenCaptureAllowed"] {
            #expect(try policies(.standard)[name] == .bool(false), "\(name)")
        }
    }

    @Test func `by default no web address is blocked and no page contacts the browser's vendor`() throws {
        let made = try policies(.standard)
        let blocked = made["URLBlocklist"]?.array?.compactMap(\.string) ?? []
        #expect(!blocked.isEmpty && blocked.allSatisfy { !$0.hasPrefix("http") && $0 != "*" })
        #expect(made["DownloadDirectory"] == nil)
        #expect(made["NewTabPageLocation"] == .string("about:blank"))
        #expect(made["PrintingEnabled"] == .bool(true))
        #expect(made["ExtensionSettings"] == .object(["*": .object(["installation_mode": .string("blocked")])]))
        #expect(made["NativeMessagingBlocklist"] == .array([.string("*")]) && made["NativeMessagingAllowlist"] == nil)
    }
}
