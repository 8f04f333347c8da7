// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Storage

/// A session that was judged good in this transaction, with whom and what it belongs to.
package struct LiveSession: Sendable {
    package let session: Session
    package let person: User
    package let device: Device?

    /// Looks the session up and judges it.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    package init(_ id: SessionID, tenant: TenantID, _ connection: any Connection) throws {
        guard let session = try Sessions(connection).find(id, tenant: tenant) else { throw OAuthError.badGrant }
        let person = try Users(connection).find(session.user, tenant: tenant)
        let device = try session.device.flatMap { try Devices(connection).find($0.id, tenant: tenant) }
        if let refusal = SessionRule.refusal(of: session, person: person, device: device) { throw refusal }
        guard let person else { throw OAuthError.badGrant }
        (self.session, self.person, self.device) = (session, person, device)
    }
}

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
