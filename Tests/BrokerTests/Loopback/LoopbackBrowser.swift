// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc
import Processes
import Synchronization
import Testing

/// A minimal browser that keeps cookies.
final class LoopbackBrowser: Sendable {
    struct Page {
        let bytes: String
        /// The HTTP status; 0 if the connection ended without an answer.
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

    let port: UInt16
    private let startPath: String
    private let cookie = Mutex<String?>(nil)

    init(at startURL: String) throws {
        let url = try #require(URL(string: startURL))
        port = UInt16(try #require(url.port))
        startPath = url.path
    }

    func start() async throws -> Page { try await get(startPath) }

    func get(_ target: String) async throws -> Page {
        try await send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n", body: "")
    }

    /// - Parameter origin: nil for no `Origin` header; empty for the server's own origin.
    func post(_ path: String, form: String, host: String = "127.0.0.1", origin: String? = "") async throws -> Page {
        let origin = origin.map { "Origin: \($0.isEmpty ? "http://127.0.0.1:\(port)" : $0)\r\n" } ?? ""
        return try await send(
            "POST \(path) HTTP/1.1\r\nHost: \(host):\(port)\r\n\(origin)"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n",
            body: form)
    }

    /// Drops every cookie.
    func forget() { cookie.withLock { $0 = nil } }

    private func send(_ head: String, body: String) async throws -> Page {
        let cookies = cookie.withLock(\.self).map { "Cookie: other=1; \($0)\r\n" } ?? ""
        let request = head + cookies + "\r\n" + body
        let page = Page(
            bytes: try await BlockingCall.run { [port] in
                let connection = try LoopbackConnection(to: port)
                connection.send(request)
                return connection.readToEnd()
            })
        if let set = page.header("Set-Cookie")?.split(separator: ";").first { cookie.withLock { $0 = String(set) } }
        return page
    }
}

/// A connection to a loopback port. Its calls block.
final class LoopbackConnection: Sendable {
    struct Refused: Error {}

    private let number: Int32

    init(to port: UInt16) throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let outcome = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { [number] in
                unsafe connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard outcome == 0 else { throw Refused() }
    }

    deinit { close(number) }

    /// Ends the sending direction.
    func endSending() { _ = shutdown(number, Int32(SHUT_WR)) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Reads everything until the other end closes.
    func readToEnd() -> String {
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(number, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += chunk[..<count]
        }
    }
}

/// Runs blocking calls outside the cooperative pool.
enum BlockingCall {
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }
}

extension Promise {
    static func settled(_ value: Value) -> Promise {
        let promise = Promise()
        promise.settle(.success(value))
        return promise
    }
}
