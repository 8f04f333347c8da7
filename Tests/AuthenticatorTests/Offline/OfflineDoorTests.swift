// SPDX-License-Identifier: Apache-2.0
import Authenticator
import Foundation
import Glibc
import Redaction
import Synchronization
import Testing

@Suite struct OfflineDoorTests {
    /// What was judged, as name and length of the secret.
    private final class Judged: Sendable {
        let names = Mutex<[String]>([])
    }

    private func opened(_ judged: Judged, known: String = "amara") async throws -> OfflineDoor {
        try await OfflineDoor.open { typed in
            judged.names.withLock { $0.append(typed.name) }
            return typed.name == known ? .known : .again(.wrong)
        }
    }

    @Test func `who opens the address types into a form, and hears what came of it`() async throws {
        let judged = Judged()
        let door = try await opened(judged)
        defer { door.close() }
        let page = try await ask(door, .get)
        let again = try await ask(door, .post(page, name: "bo"))
        #expect(again.status == 200)
        #expect(again.text.contains("role=\"alert\""))
        let end = try await ask(door, .post(again, name: "amara"))
        #expect(end.text.contains("You are signed in"))
        #expect(judged.names.withLock(\.self) == ["bo", "amara"])
    }

    @Test func `the address is good once, and every form is`() async throws {
        let judged = Judged()
        let door = try await opened(judged)
        defer { door.close() }
        let page = try await ask(door, .get)
        #expect(try await ask(door, .get).status == 404)
        #expect(try await ask(door, .post(page, name: "bo")).status == 200)
        #expect(try await ask(door, .post(page, name: "amara")).status == 404)
        #expect(judged.names.withLock(\.self) == ["bo"])
    }

    enum Forgery: CaseIterable {
        case otherOrigin, noOrigin, nullOrigin, otherHost, otherToken, otherAction, tooLong
    }

    @Test(arguments: Forgery.allCases)
    func `what does not come from the page itself is not judged`(forgery: Forgery) async throws {
        let judged = Judged()
        let door = try await opened(judged)
        defer { door.close() }
        var post = try Post(try await ask(door, .get), name: "amara")
        switch forgery {
        case .otherOrigin: post.origin = "http://evil.example"
        case .noOrigin: post.origin = nil
        case .nullOrigin: post.origin = "null"
        case .otherHost: post.host = "localhost"
        case .otherToken: post.token = String(post.token.reversed())
        case .otherAction: post.action = String(post.action.reversed())
        case .tooLong: post.name = String(repeating: "a", count: 10_000)
        }
        #expect(try await ask(door, .forged(post)).status != 200)
        #expect(judged.names.withLock(\.self) == [])
    }

    @Test func `the page lets nothing in and names nobody`() async throws {
        let door = try await opened(Judged())
        defer { door.close() }
        let page = try await ask(door, .get)
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; style-src 'nonce-"))
        #expect(policy.contains("form-action 'self'; frame-ancestors 'none'; base-uri 'none'"))
        #expect(page.header("Cache-Control") == "no-store")
        #expect(!page.text.contains("<script"))
    }

    @Test func `a page for a new PIN asks for it twice, says why it is refused, and what became of it`() async throws {
        let heard = Mutex<[(SecretBytes, SecretBytes?)]>([])
        let door = try await OfflineDoor.open(.newPIN) { typed in
            let count = heard.withLock { heard in
                heard.append((typed.secret, typed.again))
                return heard.count
            }
            return count == 1 ? .again(.pinTrivial) : .known
        }
        defer { door.close() }
        var post = try Post(try await ask(door, .get), name: "")
        // A form of another shape is none of this page's, and closes nothing.
        #expect(try await ask(door, .forged(post)).status == 404)
        post.typed = "secret=111111&again=111111"
        let again = try await ask(door, .forged(post))
        #expect(again.text.contains("role=\"alert\""))
        #expect(again.text.contains("one of the first that somebody would try"))
        #expect(again.text.components(separatedBy: "autocomplete=\"new-password\"").count == 3)
        #expect(!again.text.contains("111111"))
        post = try Post(again, name: "")
        post.typed = "secret=480271&again=480272"
        #expect(try await ask(door, .forged(post)).text.contains("Your PIN is set"))
        let texts = heard.withLock { $0.map { [$0.0, $0.1].map { $0.map(Self.text) } } }
        #expect(texts == [["111111", "111111"], ["480271", "480272"]])
    }

    @Test func `every notice is another, and the page says where a PIN does`() async throws {
        var texts: Set<String> = []
        for notice in OfflinePage.Notice.allCases {
            let door = try await OfflineDoor.open(.signIn(by: .either), notice: notice) { _ in .again(notice) }
            defer { door.close() }
            let page = try await ask(door, .get)
            #expect(page.text.contains("Password or PIN"))
            texts.insert(try page.between("<p role", "</p>"))
        }
        #expect(texts.count == OfflinePage.Notice.allCases.count)
    }

    @Test(arguments: [(OfflinePage.Secret.password, "Password"), (.pin, "PIN"), (.either, "Password or PIN")])
    func `the page asks for what somebody may be known by here`(secret: OfflinePage.Secret, label: String) async throws
    {
        let door = try await OfflineDoor.open(.signIn(by: secret), notice: .chipLocked) { _ in .known }
        defer { door.close() }
        let page = try await ask(door, .get)
        #expect(page.text.contains("<label for=\"secret\">\(label)</label>"))
        #expect(page.text.contains("Use your password") == (secret != .pin))
    }

    @Test func `who wants no PIN says so without typing one`() async throws {
        let door = try await OfflineDoor.open(.newPIN) { $0.isDeclined ? .declined : .again(.pinShape) }
        defer { door.close() }
        var post = try Post(try await ask(door, .get), name: "")
        post.typed = "secret=&again=&later=1"
        #expect(try await ask(door, .forged(post)).text.contains("No PIN is set"))
    }

    private static func text(_ secret: SecretBytes) -> String {
        unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    // MARK: - A browser of a few lines

    struct Page {
        let bytes: String
        var status: Int { Int(bytes.split(separator: " ").dropFirst().first ?? "") ?? 0 }
        var text: String { bytes.components(separatedBy: "\r\n\r\n").dropFirst().joined() }
        func header(_ name: String) -> String? {
            bytes.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
        func between(_ front: String, _ back: String) throws -> String {
            let rest = try #require(text.components(separatedBy: front).dropFirst().first)
            return try #require(rest.components(separatedBy: back).first)
        }
    }

    struct Post {
        var host = "127.0.0.1"
        /// Nil for none; empty for the page's own.
        var origin: String? = ""
        var action: String
        var token: String
        var name: String
        var typed = "secret=x"

        init(_ page: Page, name: String) throws {
            action = try page.between("action=\"/", "\"")
            token = try page.between("name=\"token\" value=\"", "\"")
            self.name = name
        }
    }

    enum Call {
        case get
        case post(Page, name: String)
        case forged(Post)
    }

    private func ask(_ door: OfflineDoor, _ call: Call) async throws -> Page {
        let url = try #require(URL(string: door.startURL))
        let port = try #require(url.port)
        let request: String
        switch call {
        case .get: request = "GET \(url.path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        case .post(let page, let name): return try await ask(door, .forged(try Post(page, name: name)))
        case .forged(let post):
            let body = "token=\(post.token)&name=\(post.name)&\(post.typed)"
            let origin = post.origin.map { "Origin: \($0.isEmpty ? "http://127.0.0.1:\(port)" : $0)\r\n" } ?? ""
            request =
                "POST /\(post.action) HTTP/1.1\r\nHost: \(post.host):\(port)\r\n\(origin)"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { Page(bytes: try Self.exchange(request, port: UInt16(port))) })
            }
        }
    }

    private struct NoConnection: Error {}

    private static func exchange(_ request: String, port: UInt16) throws -> String {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard number >= 0 else { throw NoConnection() }
        defer { close(number) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let outcome = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard outcome == 0 else { throw NoConnection() }
        let bytes = Array(request.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(number, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += chunk[..<count]
        }
    }
}
