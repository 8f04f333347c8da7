// SPDX-License-Identifier: Apache-2.0

/// A private key that never enters this process. The holder of the key, such as a TPM, makes the signatures.
package protocol HeldSigningKey: Sendable {
    /// The public half.
    var verification: VerificationKey { get }

    /// Returns the holder's signature for `input`, made with the algorithm of ``verification``. May block: do not call
    /// this method from a task.
    ///
    /// - Throws: an error if the holder does not sign.
    func signature(for input: [UInt8]) throws -> [UInt8]
}
