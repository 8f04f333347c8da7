// SPDX-License-Identifier: Apache-2.0

/// A private key that never enters this process; its holder signs.
package protocol HeldSigningKey: Sendable {
    /// The public half.
    var verification: VerificationKey { get }

    /// Signs with the algorithm of ``verification``. It may block, so do not call it from a task.
    ///
    /// - Throws: an error if the holder does not sign.
    func signature(for input: [UInt8]) throws -> [UInt8]
}
