// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The public keys that an issuer publishes (RFC 7517 section 5).
package struct JSONWebKeySet: Sendable {
    package let keys: [JSONWebKey]

    package init(_ keys: [JSONWebKey]) { self.keys = keys }

    /// Reads a key set with at most 32 keys. Keys of unsupported types are ignored (RFC 7517 section 5).
    ///
    /// - Throws: ``JOSEFailure`` `malformed`, `overLimit`.
    package init(decoding bytes: [UInt8]) throws(JOSEFailure) {
        guard let members = try? Members(decoding: bytes), case .array(let elements) = members[JSONWebKeyName.keys]
        else { throw .malformed }
        guard elements.count <= 32 else { throw .overLimit }
        keys = elements.compactMap { element in
            guard case .object(let values) = element else { return nil }
            return try? JSONWebKey(Members(values))
        }
    }

    /// The key with this id.
    package subscript(keyID: String) -> JSONWebKey? { keys.first { $0.keyID == keyID } }

    /// The set as JSON.
    package var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.append(name: JSONWebKeyName.keys.rawValue)
        writer.beginList()
        for key in keys { writer.append(key.published.whole) }
        writer.endList()
        writer.endObject()
        return writer.bytes
    }
}
