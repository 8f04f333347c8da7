// SPDX-License-Identifier: Apache-2.0

/// The device's time between two hand-overs as the server learns it: equality of the id decides, the counter orders.
package struct DeviceEpoch: Sendable, Hashable {
    /// 32 lower-case hexadecimal digits.
    package let id: String
    package let counter: Int

    /// Nil for an id of another form or a negative counter.
    package init?(id: String, counter: Int) {
        let isHexadecimal = id.allSatisfy { "0123456789abcdef".contains($0) }
        guard id.utf8.count == 32, isHexadecimal, counter >= 0 else { return nil }
        self.id = id
        self.counter = counter
    }

    /// Reads a request's members; nil where both are absent.
    ///
    /// - Throws: ``MembersFailure`` where one is absent or of a wrong form.
    package static func read(_ claims: Members) throws(MembersFailure) -> DeviceEpoch? {
        guard claims[ClaimName.epochID] != nil || claims[ClaimName.epochCounter] != nil else { return nil }
        let id = try claims.string(ClaimName.epochID)
        guard let epoch = DeviceEpoch(id: id, counter: try claims.integer(ClaimName.epochCounter)) else {
            throw .wrongType(ClaimName.epochID.rawValue)
        }
        return epoch
    }

    /// Writes the members that ``read(_:)`` reads.
    package func write(to payload: inout MembersWriter) {
        payload.set(ClaimName.epochID, id)
        payload.set(ClaimName.epochCounter, counter)
    }
}
