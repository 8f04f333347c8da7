// SPDX-License-Identifier: Apache-2.0

/// A device's query about its offline leases. It asks which of them are still valid, and can request a new one for the
/// signed-in worker.
package struct OfflineQuestion: DeviceCall {
    package let binding: CallBinding
    /// The session whose worker requests a lease; nil if the query is only about existing leases.
    package let sessionID: String?
    /// The ids of the leases on the device.
    package let held: [String]

    /// The maximum number of leases on a device.
    package static let maximumHeld = 256

    package init(_ binding: CallBinding, sessionID: String?, held: [String]) {
        (self.binding, self.sessionID, self.held) = (binding, sessionID, held)
    }

    package static func path(tenant: String) -> String { EndpointPath.offlineLeases(tenant: tenant) }

    package init(_ claims: Members) throws(MembersFailure) {
        binding = try CallBinding(claims)
        sessionID = try claims.optionalString(ClaimName.sessionID)
        held = try claims.strings(OfflineName.held) ?? []
        guard held.count <= Self.maximumHeld else { throw .overLimit }
    }

    package func write(to payload: inout MembersWriter) {
        payload.set(ClaimName.sessionID, sessionID)
        payload.set(OfflineName.held, held)
    }
}

/// The server's definite answer about a device's offline leases.
package struct OfflineAnswer: Sendable, Equatable {
    /// The server's clock, in seconds since 1970.
    package let time: Int
    /// The ids of the device's leases that are still valid; the device must erase all others.
    package let good: Set<String>
    /// A new signed lease for the session's worker; nil if there is none.
    package let lease: String?

    package init(time: Int, good: Set<String>, lease: String?) {
        (self.time, self.good, self.lease) = (time, good, lease)
    }

    /// The body of the reply.
    package var members: MembersWriter {
        var body = MembersWriter()
        body.set(OfflineName.time, time)
        body.set(OfflineName.good, good.sorted())
        body.set(OfflineName.lease, lease)
        return body
    }

    /// Reads a reply.
    ///
    /// - Throws: ``MembersFailure`` if the reply does not list the valid leases. An absent list never counts as an
    ///   empty list.
    package init(decoding body: [UInt8]) throws(MembersFailure) {
        let members = try Members(decoding: body)
        time = try members.integer(OfflineName.time)
        guard let good = try members.strings(OfflineName.good) else { throw .missing(OfflineName.good.rawValue) }
        self.good = Set(good)
        lease = try members.optionalString(OfflineName.lease)
    }
}
