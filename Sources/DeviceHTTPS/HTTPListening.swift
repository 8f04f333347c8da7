// SPDX-License-Identifier: Apache-2.0

/// Sends requests whose answers stay open.
package protocol HTTPListening: Sendable {
    /// Sends `request` and passes on each piece of a 200 answer's body as it arrives, until the server ends the body or
    /// the task is cancelled. The client's ``HTTPSClient/Configuration/readTimeout`` applies here, too. That timeout
    /// must be longer than the longest silence that the caller accepts.
    ///
    /// - Returns: the status.
    /// - Throws: ``HTTPSError``, or what `sink` throws.
    func listen(_ request: HTTPSClient.Request, into sink: @Sendable ([UInt8]) async throws -> Void) async throws -> Int
}

extension HTTPSClient: HTTPListening {}
