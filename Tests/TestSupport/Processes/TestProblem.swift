// SPDX-License-Identifier: Apache-2.0
internal import Processes
package import UnixSocket

/// An error in a test's environment rather than in its subject.
package struct TestProblem: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

extension NoticeSocket {
    /// Waits for the next message.
    ///
    /// - Throws: ``SocketError`` after 60 s.
    package func next() async throws -> String { try await blocking { [self] in try next(seconds: 60) } }
}
