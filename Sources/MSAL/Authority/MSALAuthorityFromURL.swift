// SPDX-License-Identifier: Apache-2.0

/// Adds to ``MSALAuthority`` an `init(url:)` that returns an object of the subclass that fits the address.
///
/// An initialiser of a class cannot return a subclass; an initialiser in a protocol extension can. Apps do not need
/// this protocol.
public protocol MSALAuthorityFromURL {}

extension MSALAuthorityFromURL {
    /// Makes the authority for `url`. The result is always an ``MSALAADAuthority`` (AUT-2).
    ///
    /// - Throws: an `NSError` -50000/-42000 that states what is wrong with `url`. AD FS, B2C and external tenants are
    ///   refused, because they do not support a broker (AUT-4).
    public init(url: URL) throws {
        guard let authority = try MSALAADAuthority(url: url) as? Self else {
            throw Fault(.authorityClass).error()
        }
        self = authority
    }
}
