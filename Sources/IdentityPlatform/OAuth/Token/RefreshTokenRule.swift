// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Whether a refresh token that a client shows may be used: each is good once (RFC 9700 section 4.14.2).
///
/// The reply to a use may get lost. So the same client may repeat the use within ``window``, as long as nobody has used
/// what the first use gave; it then gets the very same again. Any other second use means that the token is in two hands.
enum RefreshTokenRule {
    /// How long the use of a token may be repeated.
    static let window = Duration.seconds(10)

    /// What a token is used for: another one in its place, or as the proof of a primary refresh token, which takes none.
    enum Purpose: Sendable { case refresh, proof }

    enum Judgement: Equatable {
        case fresh
        /// The reply to the first use got lost.
        case repeated
        /// Used before: everything that came of the sign-in it belongs to is in doubt.
        case reused
        case expired
        /// Revoked before.
        case dead
    }

    /// - Parameter successor: the token that was given for this one.
    static func judge(
        _ token: RefreshToken, successor: RefreshToken?, for purpose: Purpose, at now: Timestamp
    ) -> Judgement {
        guard !token.isRevoked else { return .dead }
        guard token.expires > now else { return .expired }
        guard let used = token.used else { return .fresh }
        guard now < used + window else { return .reused }
        switch purpose {
        case .refresh: return successor.map { $0.used == nil && !$0.isRevoked } == true ? .repeated : .reused
        case .proof: return successor == nil ? .repeated : .reused
        }
    }
}
