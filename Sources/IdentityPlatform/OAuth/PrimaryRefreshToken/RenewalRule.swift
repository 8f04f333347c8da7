// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Decides whether a primary refresh token is still valid. A renewal replaces it with a new one.
///
/// The response to a renewal may be lost. The device may therefore repeat the request within ``window``, as long as it
/// has not shown that it has the new token. The response to the repetition contains the same new token. Any other
/// second renewal means that two parties have the token and the session key.
enum RenewalRule {
    /// How long a renewal may be repeated. This is longer than for a refresh token, since the requester must have the
    /// session key, and a device may be offline for a while.
    static let window = Duration.seconds(3600)

    enum Judgement: Equatable {
        case good
        /// A permitted repetition: the response to the first renewal may have been lost.
        case repeated
        /// The token was already renewed, and this second renewal is not a permitted repetition.
        case reused
        /// The token was already renewed, and this request is not a renewal.
        case renewed
        case expired
    }

    /// - Parameter successor: the token that was issued in place of `token`; nil if unknown.
    static func judge(
        _ token: StoredPrimaryRefreshToken, successor: StoredPrimaryRefreshToken?, isRenewal: Bool, at now: Timestamp
    ) -> Judgement {
        guard token.expires > now else { return .expired }
        guard let renewed = token.renewed else { return .good }
        guard isRenewal else { return .renewed }
        guard now < renewed + window, let successor, !successor.isConfirmed, successor.renewed == nil else {
            return .reused
        }
        return .repeated
    }
}
