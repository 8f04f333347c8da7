// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// Whether a session still carries what it gave out: the one judge that every grant and every check asks.
enum SessionRule {
    /// Says why nothing may be had of the session any more; nil where it is good.
    ///
    /// - Parameters:
    ///   - person: whose session it is; nil where the directory no longer has them.
    ///   - device: the device that the session is bound to; nil where there is none, or the directory no longer has it.
    static func refusal(of session: Session, person: User?, device: Device?) -> OAuthError? {
        guard session.ended == nil, let person else { return .badGrant }
        guard person.isEnabled else { return .disabledUser }
        guard let binding = session.device else { return nil }
        guard let device, device.id == binding.id else { return .unknownDevice }
        guard device.isEnabled else { return .disabledDevice }
        guard let highest = device.epoch, let counter = session.epochCounter else { return nil }
        return counter > highest.counter || (counter == highest.counter && !device.isEpochClosed) ? nil : .staleEpoch
    }
}
