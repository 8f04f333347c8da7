// SPDX-License-Identifier: Apache-2.0

/// One power: to open an answer that does not end by itself.
package protocol HTTPListening: Sendable {
    /// Sends `request` and hands over each piece of a 200 answer's body as it comes, until the server ends it or the task
    /// is cancelled. Silence is the caller's to judge.
    ///
    /// - Returns: the status.
    /// - Throws: ``HTTPSError``, or what `sink` throws.
    func listen(_ request: HTTPSClient.Request, into sink: @Sendable ([UInt8]) async throws -> Void) async throws -> Int
}

extension HTTPSClient: HTTPListening {}
