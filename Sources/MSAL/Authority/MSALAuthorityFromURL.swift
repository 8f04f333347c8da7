// SPDX-License-Identifier: Apache-2.0

/// Gives ``MSALAuthority`` the initialiser `init(url:)`, whose object is of the subclass that fits the address.
///
/// A class's own initialiser cannot return a subclass; one in a protocol extension can. Apps need not name this protocol.
public protocol MSALAuthorityFromURL {}

extension MSALAuthorityFromURL {
    /// Makes the authority that `url` names, an ``MSALAADAuthority`` (AUT-2).
    ///
    /// - Throws: an `NSError` -50000/-42000 that says what is wrong with `url`; AD FS, B2C and external tenants are
    ///   refused, for they have no broker (AUT-4).
    public init(url: URL) throws {
        guard let authority = try MSALAADAuthority(url: url) as? Self else {
            throw Fault(.authorityClass).error()
        }
        self = authority
    }
}
