// SPDX-License-Identifier: Apache-2.0

/// The account's object id and home tenant: the reply's `client_info`, from which clients build the account identifier
/// `oid.tid`.
package struct ClientInfo: Sendable, Equatable {
    private enum Name: String, WireName {
        case userID = "uid"
        case tenantID = "utid"
    }

    /// The user's object id.
    package let userID: String
    package let tenantID: String

    package init(userID: String, tenantID: String) {
        self.userID = userID
        self.tenantID = tenantID
    }

    /// Reads base64url-encoded JSON.
    ///
    /// - Throws: ``Base64Failure``, ``MembersFailure``.
    package init(decoding text: String) throws {
        let members = try Members(decoding: try Base64URL.decode(text), limit: 1024)
        self.init(userID: try members.string(Name.userID), tenantID: try members.string(Name.tenantID))
    }

    /// The JSON, base64url-encoded.
    package var encoded: String {
        var members = MembersWriter()
        members.set(Name.userID, userID)
        members.set(Name.tenantID, tenantID)
        return Base64URL.encode(members.bytes)
    }

    /// The account's identifier, `oid.tid`.
    package var homeAccountID: String { "\(userID).\(tenantID)" }
}
