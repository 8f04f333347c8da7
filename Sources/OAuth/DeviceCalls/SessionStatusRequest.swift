// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// A device's question how it and its session stand.
package struct SessionStatusRequest: DeviceCall {
    package let binding: CallBinding
    /// The epoch that the device is in.
    package let epoch: DeviceEpoch
    /// The session that it holds; nil where nobody is signed in.
    package let sessionID: String?

    package init(_ binding: CallBinding, epoch: DeviceEpoch, sessionID: String?) {
        (self.binding, self.epoch, self.sessionID) = (binding, epoch, sessionID)
    }

    package static func path(tenant: String) -> String { EndpointPath.sessionState(tenant: tenant) }

    package init(_ claims: Members) throws(MembersFailure) {
        binding = try CallBinding(claims)
        sessionID = try claims.optionalString(ClaimName.sessionID)
        guard let epoch = try DeviceEpoch.read(claims) else { throw .missing(ClaimName.epochID.rawValue) }
        self.epoch = epoch
    }

    package func write(to payload: inout MembersWriter) {
        payload.set(ClaimName.sessionID, sessionID)
        epoch.write(to: &payload)
    }

    /// The answer's one member.
    ///
    /// - Throws: ``MembersFailure`` for a reply that is none, or says something that nobody here knows.
    package static func status(decoding body: [UInt8]) throws -> SessionStatus {
        let word = try Members(decoding: body).string(ReplyName.status)
        guard let status = SessionStatus(rawValue: word) else {
            throw MembersFailure.wrongType(ReplyName.status.rawValue)
        }
        return status
    }
}
