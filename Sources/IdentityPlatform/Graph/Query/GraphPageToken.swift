// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth

/// The `$skiptoken` in an `@odata.nextLink`. It contains the key of the last item, sealed for this list and person, so
/// that a token cannot be forged or used for a different list.
struct GraphPageToken: Sendable {
    let storageKey: StorageKey
    let purpose: String

    init(_ call: GraphCall, filter: String) {
        storageKey = call.directory.storageKey
        purpose = "page \(call.token.tenant) \(call.token.user.id) \(call.request.uri.path.lowercased()) \(filter)"
    }

    /// - Throws: an error of the cryptography library.
    func sealed(_ key: String) throws -> String {
        Base64URL.encode(try storageKey.seal(Array(key.utf8), purpose: purpose))
    }

    /// - Throws: ``GraphError`` `badPageToken`.
    func opened(_ text: String) throws(GraphError) -> String {
        do {
            return String(decoding: try storageKey.open(try Base64URL.decode(text), purpose: purpose), as: UTF8.self)
        } catch {
            throw .badPageToken
        }
    }
}
