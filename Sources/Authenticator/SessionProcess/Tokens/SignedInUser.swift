// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// Who holds the device, and what this process has of them.
enum SignedInUser: Sendable {
    /// Signed in with the server.
    case online(WorkerSession)
    /// Signed in by a lease: an identity, and nothing that gets a token.
    case offline(OfflineSession)

    var account: AccountRecord {
        switch self {
        case .online(let session): session.account
        case .offline(let session): session.account
        }
    }

    /// The session at the server; nil where there is none.
    var session: WorkerSession? {
        guard case .online(let session) = self else { return nil }
        return session
    }
}
