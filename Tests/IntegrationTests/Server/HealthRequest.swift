// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing

/// A request on the listener for health checks.
struct HealthRequest: Equatable {
    let status: Int
    let body: String

    init(status: Int, body: String) { (self.status, self.body) = (status, body) }

    init(_ path: String, _ port: UInt16) throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw TestProblem("the health listener: error \(errno)") }
        let handle = FileHandle(fileDescriptor: socket, closeOnDealloc: false)
        try handle.write(contentsOf: Data("GET \(path) HTTP/1.1\r\nHost: health\r\nConnection: close\r\n\r\n".utf8))
        let answer = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        status = try #require(Int(answer.dropFirst(9).prefix(3)))
        body = answer.firstRange(of: "\r\n\r\n").map { String(answer[$0.upperBound...]) } ?? ""
    }
}

extension ServerProcess {
    /// Waits until the server has logged a text.
    func logs(_ text: String) async throws {
        let path = try logPath
        try await FolderWatch(URL(filePath: path).deletingLastPathComponent().path).until("in the log: \(text)") {
            try textOfFile(path).contains(text)
        }
    }

    /// Asks for readiness until the server is ready. The last result is kept for a second.
    func untilReady(_ port: UInt16) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try HealthRequest("/readyz", port).status != 200 {
            guard ContinuousClock.now < deadline else { throw TestProblem("the server does not become ready") }
        }
    }
}
