// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Whether a primary refresh token is still good: a renewal puts another in its place.
///
/// The reply to a renewal may get lost. So the device may ask again within ``window``, as long as it has not shown that it
/// has the new one; it then gets the very same again. Any other second renewal means that token and session key are in
/// two hands.
enum RenewalRule {
    /// How long a renewal may be asked for again: longer than for a refresh token, since whoever asks has to have the
    /// session key, and a device may be out of reach for a while.
    static let window = Duration.seconds(3600)

    enum Judgement: Equatable {
        case good
        /// The reply to the renewal got lost.
        case repeated
        /// Renewed before, and renewed once more by somebody.
        case reused
        /// Renewed before: the device has another one.
        case renewed
        case expired
    }

    /// - Parameter successor: the token that was given for this one.
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
