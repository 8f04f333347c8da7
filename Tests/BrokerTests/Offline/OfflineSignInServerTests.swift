// SPDX-License-Identifier: Apache-2.0
import BrokerSession
import Foundation
import Glibc
import Redaction
import Synchronization
import Testing
import WebPages

@Suite struct OfflineSignInServerTests {
    /// The attempts that were checked: the name, and the length of the secret.
    private final class Judged: Sendable {
        let names = Mutex<[String]>([])
    }

    private func opened(_ judged: Judged, known: String = "amara") async throws -> OfflineSignInServer {
        try await OfflineSignInServer.open(owner: .settled(getuid()), unable: { Issue.record($0) }) { typed in
            judged.names.withLock { $0.append(typed.name) }
            return typed.name == known ? .known : .again(.wrong)
        }
    }

    @Test func `the address shows a form, and then the result`() async throws {
        let judged = Judged()
        let server = try await opened(judged)
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        let page = try await browser.start()
        let again = try await browser.post(page, name: "bo")
        #expect(again.status == 200)
        #expect(again.text.contains("role=\"alert\""))
        let end = try await browser.post(again, name: "amara")
        #expect(end.text.contains("You are signed in"))
        #expect(judged.names.withLock(\.self) == ["bo", "amara"])
    }

    @Test func `the address works for one browser, and each form works once`() async throws {
        let judged = Judged()
        let server = try await opened(judged)
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        let page = try await browser.start()
        #expect(try await LoopbackBrowser(at: server.startURL).start().status == 404)
        #expect(try await browser.post(page, name: "bo").status == 200)
        #expect(try await browser.post(page, name: "amara").status == 404)
        #expect(judged.names.withLock(\.self) == ["bo"])
    }

    @Test func `a user other than the browser's gets no page, and their attempts are not checked`() async throws {
        let judged = Judged()
        let server = try await OfflineSignInServer.open(owner: .settled(getuid() + 4242), unable: { Issue.record($0) })
        { typed in
            judged.names.withLock { $0.append(typed.name) }
            return .known
        }
        defer { server.close() }
        #expect(try await LoopbackBrowser(at: server.startURL).start().bytes.isEmpty)
        #expect(judged.names.withLock(\.self) == [])
    }

    enum Forgery: CaseIterable {
        case otherBrowser, otherOrigin, noOrigin, nullOrigin, otherHost, otherToken, otherAction, tooLong
    }

    @Test(arguments: Forgery.allCases)
    func `a request that does not come from the page itself is not checked`(forgery: Forgery) async throws {
        let judged = Judged()
        let server = try await opened(judged)
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        var post = try Post(try await browser.start(), name: "amara")
        switch forgery {
        case .otherBrowser: browser.forget()
        case .otherOrigin: post.origin = "http://evil.example"
        case .noOrigin: post.origin = nil
        case .nullOrigin: post.origin = "null"
        case .otherHost: post.host = "localhost"
        case .otherToken: post.token = String(post.token.reversed())
        case .otherAction: post.action = String(post.action.reversed())
        case .tooLong: post.name = String(repeating: "a", count: 10_000)
        }
        #expect(try await browser.post(post).status != 200)
        #expect(judged.names.withLock(\.self) == [])
    }

    @Test func `the page loads nothing from elsewhere and names nobody`() async throws {
        let server = try await opened(Judged())
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        let page = try await browser.start()
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(
            policy == "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; "
                + "frame-ancestors 'none'; base-uri 'none'")
        #expect(page.header("Cache-Control") == "no-store")
        #expect(!page.text.contains("<style") && !page.text.contains("<script>"))
    }

    @Test func `the page's files are served to the same browser only`() async throws {
        let server = try await opened(Judged())
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        #expect(try await browser.get("/form.css").status == 404)
        let page = try await browser.start()
        for (path, type) in [
            ("/form.css", "text/css; charset=utf-8"), ("/keyboard.js", "text/javascript; charset=utf-8"),
        ] {
            #expect(page.text.contains("\"\(path)\""))
            let file = try await browser.get(path)
            #expect(file.status == 200 && file.header("Content-Type") == type && !file.text.isEmpty)
            #expect(try await LoopbackBrowser(at: server.startURL).get(path).status == 404)
        }
    }

    @Test(arguments: Language.allCases) func `the page is in the language that the app requests`(
        language: Language
    ) async throws {
        let server = try await OfflineSignInServer.open(
            in: language, owner: .settled(getuid()), unable: { Issue.record($0) }
        ) { _ in .known }
        defer { server.close() }
        let page = try await LoopbackBrowser(at: server.startURL).start()
        let texts = try BrokerText.catalogue.get()
        #expect(page.text.contains("<html lang=\"\(language.rawValue)\" dir=\"\(language.direction.rawValue)\">"))
        #expect(page.text.contains("<title>\(texts.text(.offlineSignIn, in: language))</title>"))
    }

    @Test func `the page for a new PIN asks for it twice, explains a refusal, and reports the result`() async throws {
        let heard = Mutex<[(SecretBytes, SecretBytes?)]>([])
        let server = try await OfflineSignInServer.open(
            .newPIN, owner: .settled(getuid()), unable: { Issue.record($0) }
        ) {
            typed in
            let count = heard.withLock { heard in
                heard.append((typed.secret, typed.again))
                return heard.count
            }
            return count == 1 ? .again(.pinTrivial) : .known
        }
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        var post = try Post(try await browser.start(), name: "")
        // A form with different fields does not belong to this page, and does not close it.
        #expect(try await browser.post(post).status == 404)
        post.typed = "secret=111111&again=111111"
        let again = try await browser.post(post)
        #expect(again.text.contains("role=\"alert\""))
        #expect(again.text.contains("one of the first that somebody would try"))
        #expect(again.text.components(separatedBy: "autocomplete=\"new-password\"").count == 3)
        #expect(!again.text.contains("111111"))
        post = try Post(again, name: "")
        post.typed = "secret=480271&again=480272"
        #expect(try await browser.post(post).text.contains("Your PIN is set"))
        let texts = heard.withLock { $0.map { [$0.0, $0.1].map { $0.map(Self.text) } } }
        #expect(texts == [["111111", "111111"], ["480271", "480272"]])
    }

    @Test func `each notice has its own text, and the page offers the PIN`() async throws {
        var texts: Set<String> = []
        for notice in OfflinePage.Notice.allCases {
            let server = try await OfflineSignInServer.open(
                .signIn(by: .either), notice: notice, owner: .settled(getuid()), unable: { Issue.record($0) }
            ) { _ in .again(notice) }
            defer { server.close() }
            let browser = try LoopbackBrowser(at: server.startURL)
            let page = try await browser.start()
            #expect(page.text.contains("Password or PIN"))
            texts.insert(try page.between("<p role", "</p>"))
        }
        #expect(texts.count == OfflinePage.Notice.allCases.count)
    }

    @Test(arguments: [(OfflinePage.Secret.password, "Password"), (.pin, "PIN"), (.either, "Password or PIN")])
    func `the page asks for the accepted credentials only`(secret: OfflinePage.Secret, label: String) async throws {
        let server = try await OfflineSignInServer.open(
            .signIn(by: secret), notice: .chipLocked, owner: .settled(getuid()), unable: { Issue.record($0) }
        ) { _ in .known }
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        let page = try await browser.start()
        #expect(page.text.contains("<label for=\"secret\">\(label)</label>"))
        #expect(page.text.contains("Use your password") == (secret != .pin))
    }

    @Test func `a worker can decline a PIN without typing one`() async throws {
        let server = try await OfflineSignInServer.open(
            .newPIN, owner: .settled(getuid()), unable: { Issue.record($0) }
        ) {
            $0.isDeclined ? .declined : .again(.pinShape)
        }
        defer { server.close() }
        let browser = try LoopbackBrowser(at: server.startURL)
        var post = try Post(try await browser.start(), name: "")
        post.typed = "secret=&again=&later=1"
        #expect(try await browser.post(post).text.contains("No PIN is set"))
    }

    private static func text(_ secret: SecretBytes) -> String {
        unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    struct Post {
        var host = "127.0.0.1"
        /// The `Origin` header: nil for no header, empty for the page's own origin.
        var origin: String? = ""
        var action: String
        var token: String
        var name: String
        var typed = "secret=x"

        init(_ page: LoopbackBrowser.Page, name: String) throws {
            action = try page.between("action=\"/", "\"")
            token = try page.between("name=\"token\" value=\"", "\"")
            self.name = name
        }
    }
}

extension LoopbackBrowser {
    /// Types a name into the form of `page`.
    func post(_ page: Page, name: String) async throws -> Page {
        try await post(try OfflineSignInServerTests.Post(page, name: name))
    }

    func post(_ post: OfflineSignInServerTests.Post) async throws -> Page {
        try await self.post(
            "/\(post.action)", form: "token=\(post.token)&name=\(post.name)&\(post.typed)", host: post.host,
            origin: post.origin)
    }
}
