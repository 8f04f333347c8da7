// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerIPC
internal import Files

/// An operator's order to leave the directory or to reset the device, on disk until it is carried out.
package struct Departure: Sendable, Codable, Equatable {
    package enum Kind: String, Sendable, Codable {
        /// The join goes; everything else stays.
        case leave
        /// Everything goes that came with a join, an enrollment or a worker.
        case reset
    }

    package enum Stage: String, Sendable, Codable {
        /// Whoever is at the device is signed out, and the servers are told.
        case ordered
        /// Nobody is at the device any more: its state is erased.
        case erasing
    }

    package var kind: Kind
    package var stage: Stage
    /// The registration that the device gives up; nil if it had none.
    package let deviceID: String?
    /// Whether the directory knows that the device has left.
    package var isDirectoryTold = false

    package init(kind: Kind, stage: Stage, deviceID: String?) {
        (self.kind, self.stage, self.deviceID) = (kind, stage, deviceID)
    }

    /// What the operator is told when it is carried out.
    package var reply: OperatorReply { .left(deviceID: deviceID, isDirectoryTold: isDirectoryTold) }
}

extension DeviceFiles {
    /// The order to leave or to reset that is not carried out yet; nil if there is none.
    package func departure() throws -> Departure? { try read(Departure.self, Name.departure) }
    package func write(_ departure: Departure) throws { try write(departure, Name.departure) }
    package func removeDeparture() throws { try root.file(Name.departure).remove() }
}
