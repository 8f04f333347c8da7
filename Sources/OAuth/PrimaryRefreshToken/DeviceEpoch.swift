// SPDX-License-Identifier: Apache-2.0
internal import Encodings

/// A device's epoch as the server records it. A new epoch begins at every sign-in and at every sign-out. The id
/// identifies the epoch, and the counter determines the order of epochs.
package struct DeviceEpoch: Sendable, Hashable {
    /// 32 lower-case hexadecimal digits.
    package let id: String
    package let counter: Int

    /// Returns nil if the id is malformed or the counter is negative.
    package init?(id: String, counter: Int) {
        let isHexadecimal = id.utf8.allSatisfy { Hexadecimal.isDigit($0, .lower) }
        guard id.utf8.count == 32, isHexadecimal, counter >= 0 else { return nil }
        self.id = id
        self.counter = counter
    }

    /// Reads the epoch in a request; returns nil if both members are absent.
    ///
    /// - Throws: ``MembersFailure`` if only one member is present or one is malformed.
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
