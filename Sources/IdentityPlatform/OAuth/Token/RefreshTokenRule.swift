// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Decides whether a client may use a refresh token. Each token is valid once (RFC 9700 section 4.14.2).
///
/// The response to a use may be lost. The same client may therefore repeat the use within ``window``, as long as the
/// token from the first use is unused. The response to the repetition contains that same token. Any other second use
/// means that two parties have the token; `RefreshTokenReuse.swift` says what follows from it.
enum RefreshTokenRule {
    /// How long after its first use a token may be used again.
    static let window = Duration.seconds(10)

    /// The purpose of a use. `refresh` issues the next refresh token. `proof` authenticates the person who requests a
    /// primary refresh token, and issues no successor.
    enum Purpose: Sendable { case refresh, proof }

    enum Judgement: Equatable {
        case fresh
        /// A permitted repetition: the response to the first use may have been lost.
        case repeated
        /// The token was already used. Every token of the same sign-in may be compromised.
        case reused
        case expired
        /// The token was already revoked.
        case dead
    }

    /// - Parameter successor: the token that was issued in place of `token`; nil if there is none.
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
