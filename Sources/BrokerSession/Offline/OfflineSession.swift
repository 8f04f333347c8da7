// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import JSON
internal import OAuth

/// The session of a worker who signed in with an offline lease.
struct OfflineSession: Sendable {
    let account: AccountRecord
    /// The id of the lease; the session ends when the lease ends.
    let lease: String
    /// The key that seals the session's files, as in a session with the server.
    let key: MemoryKey
}

extension OfflineLease {
    /// The worker's account as apps see it, the same as after a sign-in with the server.
    ///
    /// - Parameter environment: the host of the identity platform.
    func account(environment: String) -> AccountRecord {
        let info = ClientInfo(userID: person.id, tenantID: tenant)
        var claims: [ClaimName: String] = [
            .name: person.displayName, .objectID: person.id, .preferredUsername: person.userName, .subject: person.id,
            .tenantID: tenant, .uniqueName: person.userName, .userPrincipalName: person.userName, .version: "1.0",
        ]
        claims[.givenName] = person.givenName
        claims[.familyName] = person.familyName
        let members = claims.map { ($0.key.rawValue, JSONValue.string($0.value)) }
        return AccountRecord(
            homeAccountID: info.homeAccountID, localAccountID: person.id, realm: tenant, environment: environment,
            username: person.userName, name: person.displayName, clientInfo: info.encoded,
            idTokenClaims: .object(Dictionary(uniqueKeysWithValues: members)))
    }
}

extension BrokerError {
    /// The answer to an app that requests a token of a worker who signed in offline, while the server cannot be
    /// reached.
    static let signedInOffline = BrokerError(.network, because: .signedInOffline)

    /// The answer to such an app once the server can be reached again: the worker must authenticate with the server.
    static let backOnline = BrokerError(
        .interactionRequired,
        "The worker signed in without the server, and the server can be reached again. Request a token interactively.",
        reason: .signedInOffline)
}
