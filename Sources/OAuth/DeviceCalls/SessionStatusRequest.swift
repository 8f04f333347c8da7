// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// A device's query for its own status and for the status of its session.
package struct SessionStatusRequest: DeviceCall {
    package let binding: CallBinding
    /// The device's current epoch.
    package let epoch: DeviceEpoch
    /// The session on the device; nil if nobody is signed in.
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

    /// Returns the status in the reply.
    ///
    /// - Throws: ``MembersFailure`` if the reply is malformed or contains an unknown status.
    package static func status(decoding body: [UInt8]) throws -> SessionStatus {
        let word = try Members(decoding: body).string(ReplyName.status)
        guard let status = SessionStatus(rawValue: word) else {
            throw MembersFailure.wrongType(ReplyName.status.rawValue)
        }
        return status
    }
}
