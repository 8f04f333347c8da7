// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Foundation
import Processes
import Redaction
import UnixSocket

/// A client of a broker's socket for operators that does not use the command line.
struct OperatorSocket: Sendable {
    let path: String

    /// Sends a request, as `baton` does.
    func ask(_ request: OperatorRequest) async throws -> OperatorReply {
        try await blocking {
            let connection = try FrameConnection.connect(to: path, maximumFrame: 1 << 20)
            try connection.write(Array(JSONEncoder().encode(request)))
            let body = try connection.read().body
            return try unsafe body.withUnsafeBytes { bytes in
                try JSONDecoder().decode(OperatorReply.self, from: unsafe Data(bytes))
            }
        }
    }
}
