// SPDX-License-Identifier: Apache-2.0

/// A device's question about its offline leases: which of those that it holds are still good, and whether the worker who is
/// signed in gets one.
package struct OfflineQuestion: DeviceCall {
    package let binding: CallBinding
    /// The session whose worker may get a lease; nil where only the leases in hand are asked about.
    package let sessionID: String?
    /// The ids of the leases that the device holds.
    package let held: [String]

    /// Leases that a device may hold at once.
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

/// The server's definite word on a device's offline leases.
package struct OfflineAnswer: Sendable, Equatable {
    /// The server's clock, in seconds since 1970.
    package let time: Int
    /// Of the leases that the device holds those that are good; every other one is to be erased.
    package let good: Set<String>
    /// A new lease for the worker of the session, signed; nil where there is none for them.
    package let lease: String?

    package init(time: Int, good: Set<String>, lease: String?) {
        (self.time, self.good, self.lease) = (time, good, lease)
    }

    /// The reply's body.
    package var members: MembersWriter {
        var body = MembersWriter()
        body.set(OfflineName.time, time)
        body.set(OfflineName.good, good.sorted())
        body.set(OfflineName.lease, lease)
        return body
    }

    /// Reads a reply.
    ///
    /// - Throws: ``MembersFailure`` for one that does not say which leases are good: nothing is to be taken for no.
    package init(decoding body: [UInt8]) throws(MembersFailure) {
        let members = try Members(decoding: body)
        time = try members.integer(OfflineName.time)
        guard let good = try members.strings(OfflineName.good) else { throw .missing(OfflineName.good.rawValue) }
        self.good = Set(good)
        lease = try members.optionalString(OfflineName.lease)
    }
}
