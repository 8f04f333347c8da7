// SPDX-License-Identifier: Apache-2.0

/// Seals secrets under a key that is stored outside the database, so that a copy of the database alone reveals no
/// secret.
package struct SecretSealer: Sendable {
    package let seal: @Sendable (_ bytes: [UInt8], _ purpose: String) throws -> [UInt8]
    package let open: @Sendable (_ sealed: [UInt8], _ purpose: String) throws -> [UInt8]

    /// Makes a sealer from two functions.
    ///
    /// - Parameters:
    ///   - seal: seals bytes for one purpose.
    ///   - open: opens bytes that were sealed for the same purpose, and throws for all other bytes.
    package init(
        seal: @escaping @Sendable (_ bytes: [UInt8], _ purpose: String) throws -> [UInt8],
        open: @escaping @Sendable (_ sealed: [UInt8], _ purpose: String) throws -> [UInt8]
    ) {
        (self.seal, self.open) = (seal, open)
    }
}
