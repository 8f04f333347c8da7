// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// A device's report that a session on it has ended. It contains no secret of the worker, so it can be stored on disk
/// until the network is available again.
package struct EndSessionRequest: DeviceCall {
    package let binding: CallBinding
    package let sessionID: String
    package let epoch: DeviceEpoch
    /// Whether the user asked to end the identity platform's browser session. The browser session ends in any case,
    /// because it is part of the device's session; the value only records what the user asked for.
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

    /// Whether the reply confirms that the server has recorded the end. If not, the device repeats the call.
    package static func isConfirmed(by reply: [UInt8]) -> Bool {
        do { return try Members(decoding: reply)[ReplyName.ended] == .bool(true) } catch { return false }
    }
}
