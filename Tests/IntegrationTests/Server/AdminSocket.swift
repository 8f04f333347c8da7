// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import UnixSocket

/// A client of a server's administration socket that does not use the command line.
struct AdminSocket {
    /// The server's state folder.
    let state: String

    /// Makes one call and returns status and body.
    func call(_ method: String, _ path: String, _ body: String = "") throws -> (status: Int, body: String) {
        let connection = try Connection.connect(to: state + "/admin.sock", maximumFrame: 1)
        let request = [
            "\(method) \(path) HTTP/1.1", "Host: server", "Connection: close", "Content-Length: \(body.utf8.count)",
            "", body,
        ].joined(separator: "\r\n")
        let answer = try connection.descriptor.withNumber { number throws in
            let handle = FileHandle(fileDescriptor: number, closeOnDealloc: false)
            try handle.write(contentsOf: Data(request.utf8))
            return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        }
        let parts = try #require(answer.firstRange(of: "\r\n\r\n"))
        let status = try #require(Int(answer.dropFirst(9).prefix(3)))
        return (status, String(answer[parts.upperBound...]))
    }
}
