// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The device's word that a session has ended there, holding no secret of the worker: it can wait on disk until the
/// network is back.
package struct EndSessionRequest: DeviceCall {
    package let binding: CallBinding
    package let sessionID: String
    package let epoch: DeviceEpoch
    /// Whether the person asked for the end of the identity platform's browser session. It ends in any case, being part
    /// of the session; the word is for the record of what was asked.
    package let endsBrowserSession: Bool

    package init(_ binding: CallBinding, sessionID: String, epoch: DeviceEpoch, endsBrowserSession: Bool) {
        (self.binding, self.sessionID, self.epoch) = (binding, sessionID, epoch)
        self.endsBrowserSession = endsBrowserSession
    }

    package static func path(tenant: String) -> String { EndpointPath.endSession(tenant: tenant) }

    package init(_ claims: Members) throws(MembersFailure) {
        binding = try CallBinding(claims)
        sessionID = try claims.string(ClaimName.sessionID)
        guard let epoch = try DeviceEpoch.read(claims) else { throw .missing(ClaimName.epochID.rawValue) }
        self.epoch = epoch
        guard case .bool(let ends) = claims[ClaimName.endBrowserSession] else {
            throw .wrongType(ClaimName.endBrowserSession.rawValue)
        }
        endsBrowserSession = ends
    }

    package func write(to payload: inout MembersWriter) {
        payload.set(ClaimName.sessionID, sessionID)
        epoch.write(to: &payload)
        payload.set(ClaimName.endBrowserSession, endsBrowserSession)
    }

    /// Whether a reply says that the server has heard it; anything else is asked again.
    package static func isHeard(_ reply: [UInt8]) -> Bool {
        do { return try Members(decoding: reply)[ReplyName.ended] == .bool(true) } catch { return false }
    }
}
