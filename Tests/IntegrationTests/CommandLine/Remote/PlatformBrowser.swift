// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import Foundation
import OAuth
import Synchronization
import TestSupport
import Testing

/// A person at a browser, who fills in the pages of the identity platform.
final class PlatformBrowser: Sendable {
    private let https: HTTPSClient
    private let origin: String
    private let cookies = Mutex<[String: String]>([:])
    private let typed = Mutex(0)

    /// How often the person has typed the password.
    var passwords: Int { typed.withLock(\.self) }

    /// - Parameter login: the host name of the server's login address.
    init(at login: String, _ server: ServerProcess) throws {
        origin = "https://\(login):\(server.port)"
        let roots = Array(try textOfFile(server.state + "/ca/root.pem").utf8)
        https = try HTTPSClient(configuration: .init(trustRootsPEM: roots, dnsOverride: [login: "127.0.0.1"]))
    }

    /// Opens the address of a sign-in, signs in if the page asks for it, and follows the redirect to the loopback
    /// address.
    func open(_ address: String) async {
        do {
            var response = try await send("GET", address)
            if response.status == 200 { response = try await submit(response) }
            let target = try #require(response.header("Location"), "the page has status \(response.status)")
            try follow(target)
        } catch {
            Issue.record("the sign-in page: \(error)")
        }
    }

    /// Requests the loopback address to which the identity platform redirects.
    private func follow(_ target: String) throws {
        let url = try #require(URLComponents(string: target))
        let port = try #require(url.port.flatMap(UInt16.init(exactly:)))
        let socket = try LoopbackSocket.connected(to: port)
        let path = (url.path.isEmpty ? "/" : url.path) + "?" + (url.percentEncodedQuery ?? "")
        Relay.send(Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8), to: socket)
        while Relay.receive(from: socket) != nil {}
    }

    /// Enters a code on the page for other screens, signs in and approves.
    func enter(_ code: String, at address: String) async {
        do {
            var page = try await send("GET", address)
            page = try await submit(page, ["user_code": code])
            if String(decoding: page.body, as: UTF8.self).contains("name=\"password\"") {
                page = try await submit(page)
            }
            _ = try await submit(page, ["choice": "yes"])
        } catch {
            Issue.record("the page for codes: \(error)")
        }
    }

    /// Fills in the first form of a page with its hidden fields and these values. The other form chooses a language.
    private func submit(
        _ page: HTTPSClient.Response, _ values: [String: String] = [:]
    ) async throws -> HTTPSClient.Response {
        let text = String(decoding: page.body, as: UTF8.self).split(separator: "</form>").first ?? ""
        var form = FormParameters()
        for field in text.matches(of: /<input type="hidden" name="([^"]+)" value="([^"]*)"/) {
            form.append(Field(String(field.output.1)), Self.plain(field.output.2))
        }
        if text.contains("name=\"password\"") {
            typed.withLock { $0 += 1 }
            // A page that asks a known person again has the name as a hidden field.
            form.replace(ParameterName.username, "carol@c.test")
            form.append(ParameterName.password, "long enough")
        }
        for (name, value) in values { form.replace(Field(name), value) }
        let action = try #require(text.firstMatch(of: /action="([^"]+)"/), "no form in \(text)").output.1
        return try await send("POST", origin + Self.plain(action), form)
    }

    private static func plain(_ text: Substring) -> String {
        String(text).replacing("&amp;", with: "&").replacing("&#39;", with: "'").replacing("&quot;", with: "\"")
    }

    private func send(_ method: String, _ address: String, _ form: FormParameters? = nil) async throws
        -> HTTPSClient.Response
    {
        var headers = [
            (name: "Cookie", value: cookies.withLock { $0.map { "\($0.key)=\($0.value)" } }.joined(separator: "; "))
        ]
        if form != nil {
            headers += [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", origin)]
        }
        let response = try await https.send(
            .init(method: method, url: address, headers: headers, body: form.map { Array($0.encoded.utf8) }))
        for header in response.headers where header.name.lowercased() == "set-cookie" {
            let pair = header.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            cookies.withLock { $0[pair[0]] = pair.count > 1 ? pair[1] : "" }
        }
        return response
    }

    /// A field of a page's form.
    private struct Field: WireName {
        let rawValue: String
        init(_ name: String) { rawValue = name }
        init?(rawValue: String) { self.rawValue = rawValue }
    }
}
