// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Storage

/// A session that was valid in this transaction, with its person and device.
package struct LiveSession: Sendable {
    package let session: Session
    package let person: User
    package let device: Device?

    /// Looks up the session and checks that it is valid.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    package init(_ id: SessionID, tenant: TenantID, _ connection: any Connection) throws {
        let found = try connection.record(
            Session.self, with: User.self, on: "person.tenant = session.tenant AND person.id = session.person",
            and: Device.self, on: "device.tenant = session.tenant AND device.id = session.device",
            "WHERE session.tenant = \(tenant) AND session.id = \(id)")
        guard let (session, person, device) = found else { throw OAuthError.badGrant }
        if let refusal = SessionRule.refusal(of: session, person: person, device: device) { throw refusal }
        guard let person else { throw OAuthError.badGrant }
        (self.session, self.person, self.device) = (session, person, device)
    }
}

/// Decides whether a session is still valid. Every grant and every check uses this rule.
enum SessionRule {
    /// Returns why the session is no longer valid; nil if it is valid.
    ///
    /// - Parameters:
    ///   - person: the session's person; nil if they are no longer in the directory.
    ///   - device: the device that the session is bound to; nil if the session is not bound to a device, or if the
    ///     device is no longer in the directory.
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
