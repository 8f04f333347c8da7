// SPDX-License-Identifier: Apache-2.0

/// An authority of Microsoft Entra's kind: a host and a tenant.
open class MSALAADAuthority: MSALAuthority, @unchecked Sendable {
    /// What apps get that name no authority.
    static let common: MSALAADAuthority = {
        guard let url = URL(string: "https://login.microsoftonline.com/common") else {
            preconditionFailure("The literal is a URL.")
        }
        return MSALAADAuthority(normalized: url)
    }()

    /// Takes `https://<host>/<tenant>`; anything after the tenant is left out.
    ///
    /// - Throws: an `NSError` -50000/-42000 that says what is wrong with `url` (AUT-1).
    public convenience init(url: URL) throws {
        do { self.init(normalized: try AuthorityURL(url).normalized) } catch { throw error.error() }
    }
}
