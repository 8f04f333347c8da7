// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction

extension Platform {
    /// Seals the session key of a PRT for the database.
    ///
    /// - Throws: the library's error.
    func seal(_ key: SessionKey, of token: OpaqueToken) throws -> [UInt8] {
        var bytes = key.secret.withBytes { span in
            (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        defer { wipe(&bytes) }
        return try storageKey.seal(bytes, purpose: Self.purpose(of: token))
    }

    /// Opens the session key of a PRT.
    ///
    /// - Throws: ``StorageKey/Failure``
    func open(_ sealed: [UInt8], of token: OpaqueToken) throws(StorageKey.Failure) -> SessionKey {
        var bytes = try storageKey.open(sealed, purpose: Self.purpose(of: token))
        guard let key = SessionKey(SecretBytes(consuming: &bytes)) else { throw .doesNotOpen }
        return key
    }

    private static func purpose(of token: OpaqueToken) -> String {
        "session key \(token.tenant) \(Base64URL.encode(token.hash))"
    }
}
