// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import OAuth
package import Redaction
package import Storage

/// A code, refresh token or cookie: 256 unguessable bits, preceded by the tenant. The database stores only a hash.
///
/// Its text is `1.<tenant>.<secret>` in `A–Z a–z 0–9 - _ .`, since some clients post it unencoded and some require a
/// dot.
package struct OpaqueToken: Sendable {
    package let tenant: TenantID
    /// The text that the client gets.
    package let text: Sensitive<String>
    /// The hash that the database stores: SHA-256 over the whole text. The secret has enough entropy, so a slow hash is
    /// not needed.
    package let hash: [UInt8]

    /// Generates a new token.
    package init(tenant: TenantID, environment: ClockAndRandomness) {
        self.init(tenant: tenant, secret: environment.randomBytes(32))
    }

    /// Creates the token from an unguessable secret of 32 bytes.
    init(tenant: TenantID, secret: [UInt8]) {
        self.init(tenant: tenant, text: "1.\(Base64URL.encode(tenant.bytes)).\(Base64URL.encode(secret))")
    }

    /// Parses a client's text; returns nil if it does not have the format of this server's tokens.
    package init?(_ text: String) {
        guard text.utf8.count < 128 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "1", let tenant = try? Base64URL.decode(parts[1]), tenant.count == 16,
            let secret = try? Base64URL.decode(parts[2]), secret.count == 32
        else { return nil }
        self.init(tenant: TenantID(bytes: tenant), text: text)
    }

    private init(tenant: TenantID, text: String) {
        self.tenant = tenant
        self.text = Sensitive(text)
        hash = Array(SHA256.hash(data: Array(text.utf8)))
    }
}
