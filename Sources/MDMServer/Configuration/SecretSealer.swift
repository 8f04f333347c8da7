// SPDX-License-Identifier: Apache-2.0

/// Seals secrets for the database under a key that lies elsewhere, so that a copy of the database alone opens none.
package struct SecretSealer: Sendable {
    package let seal: @Sendable (_ bytes: [UInt8], _ purpose: String) throws -> [UInt8]
    package let open: @Sendable (_ sealed: [UInt8], _ purpose: String) throws -> [UInt8]

    /// - Parameters:
    ///   - seal: seals bytes for one purpose.
    ///   - open: opens what was sealed for that purpose, and throws for everything else.
    package init(
        seal: @escaping @Sendable (_ bytes: [UInt8], _ purpose: String) throws -> [UInt8],
        open: @escaping @Sendable (_ sealed: [UInt8], _ purpose: String) throws -> [UInt8]
    ) {
        (self.seal, self.open) = (seal, open)
    }
}
