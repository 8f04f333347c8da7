// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// What proves the person, ready for the transaction.
enum PersonProof: Sendable {
    case refreshToken(OpaqueToken)
    /// A key of the person's own that has signed just now, and the id of the session that begins with it.
    case helloKey(HelloKey, SessionID)
    /// A password that was right a moment ago, and the id of the session that begins with it.
    case password(CheckedPassword, SessionID)

    var password: CheckedPassword? { if case .password(let checked, _) = self { checked } else { nil } }
}
