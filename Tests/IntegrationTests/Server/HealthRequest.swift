// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing
import UnixSocket

/// A request on the listener for health checks.
struct HealthRequest: Equatable {
    let status: Int
    let body: String

    init(status: Int, body: String) { (self.status, self.body) = (status, body) }

    init(_ path: String, _ port: UInt16) throws {
        let handle = try LoopbackSocket.connected(to: port).withNumber { number in
            FileHandle(fileDescriptor: dup(number), closeOnDealloc: true)
        }
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
