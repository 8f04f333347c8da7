// SPDX-License-Identifier: Apache-2.0

/// Sends https requests and returns the answers.
package protocol HTTPSending: Sendable {
    /// Sends `request` and reads the whole answer.
    ///
    /// - Throws: ``HTTPSError`` if no complete answer arrived.
    func send(_ request: HTTPSClient.Request) async throws -> HTTPSClient.Response

    /// Downloads `url` piece by piece.
    ///
    /// - Parameters:
    ///   - limit: the most bytes to accept.
    ///   - sink: receives each piece of the body of a 200 answer. Bodies of other answers are dropped.
    /// - Returns: the status.
    /// - Throws: ``HTTPSError``, or what `sink` throws.
    func download(_ url: String, limit: Int, into sink: @Sendable ([UInt8]) async throws -> Void) async throws -> Int
}
