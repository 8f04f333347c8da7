// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import UnixSocket

/// A client of a server's administration socket that does not use the command line.
struct AdminSocket {
    /// The server's state folder.
    let state: String

    /// Makes one call and returns status and body.
    ///
    /// - Throws: an error if no complete answer arrives within a minute, for instance because the server has died.
    func call(_ method: String, _ path: String, _ body: String = "") throws -> (status: Int, body: String) {
        let connection = try FrameConnection.connect(to: state + "/admin.sock", maximumFrame: 1)
        try connection.descriptor.setReceiveTimeout(milliseconds: 60_000)
        let request = [
            "\(method) \(path) HTTP/1.1", "Host: server", "Connection: close", "Content-Length: \(body.utf8.count)",
            "", body,
        ].joined(separator: "\r\n")
        Relay.send(Array(request.utf8), to: connection.descriptor)
        var bytes: [UInt8] = []
        while let piece = Relay.receive(from: connection.descriptor) { bytes += piece }
        let answer = String(decoding: bytes, as: UTF8.self)
        guard let parts = answer.firstRange(of: "\r\n\r\n"), let status = Int(answer.dropFirst(9).prefix(3)) else {
            throw TestProblem("\(method) \(path): the answer ended early")
        }
        let content = String(answer[parts.upperBound...])
        let length = answer[..<parts.lowerBound].lowercased().firstMatch(of: #/\r\ncontent-length: (\d+)/#)
        guard length.flatMap({ Int($0.1) }) ?? content.utf8.count == content.utf8.count else {
            throw TestProblem("\(method) \(path): the answer ended early")
        }
        return (status, content)
    }
}
