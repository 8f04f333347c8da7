// SPDX-License-Identifier: Apache-2.0

/// A key that another holds and signs with: it never comes into this process.
package protocol HeldSigningKey: Sendable {
    /// The public half.
    var verification: VerificationKey { get }

    /// Signs with the one algorithm of ``verification``; may block, so not for a task.
    ///
    /// - Throws: where whoever holds it does not sign.
    func signature(for input: [UInt8]) throws -> [UInt8]
}
