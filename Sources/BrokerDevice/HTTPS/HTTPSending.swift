// SPDX-License-Identifier: Apache-2.0

/// One power: to send a request over https and get the answer.
package protocol HTTPSending: Sendable {
    /// Sends `request` and reads the whole answer.
    ///
    /// - Throws: ``HTTPSError`` where no complete answer came.
    func send(_ request: HTTPSClient.Request) async throws -> HTTPSClient.Response

    /// Gets `url` piece by piece.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that are accepted.
    ///   - sink: takes each piece of the body of a 200 answer; other answers' bodies are dropped.
    /// - Returns: the status.
    /// - Throws: ``HTTPSError``, or what `sink` throws.
    func download(_ url: String, limit: Int, into sink: @Sendable ([UInt8]) async throws -> Void) async throws -> Int
}
