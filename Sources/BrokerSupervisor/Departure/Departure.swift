// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import DeviceKeyStore
package import DeviceSettings
internal import Files

/// An operator's order to leave the directory or to reset the device. The order is kept on disk until it is carried
/// out.
package struct Departure: Sendable, Codable, Equatable {
    package enum Kind: String, Sendable, Codable {
        /// Removes the join; everything else is kept.
        case leave
        /// Removes everything that came with a join, an enrollment or a worker.
        case reset
    }

    package enum Stage: String, Sendable, Codable {
        /// The session ends and the servers are notified.
        case ordered
        /// The session has ended; the device's state is being erased.
        case erasing
    }

    package var kind: Kind
    package var stage: Stage
    /// The id of the registration that the device gives up; nil if the device had none.
    package let deviceID: String?
    /// Whether the directory was notified that the device leaves. Also true if the directory no longer lists the
    /// device.
    package var isDirectoryTold = false

    package init(kind: Kind, stage: Stage, deviceID: String?) {
        (self.kind, self.stage, self.deviceID) = (kind, stage, deviceID)
    }

    /// The reply to the operator once the order is carried out.
    package var reply: OperatorReply { .left(deviceID: deviceID, isDirectoryTold: isDirectoryTold) }
}

extension DeviceFiles {
    /// The order to leave or to reset that has not been carried out yet; nil if there is none.
    package func departure() throws -> Departure? { try read(Departure.self, Name.departure) }
    package func write(_ departure: Departure) throws { try write(departure, Name.departure) }
    package func removeDeparture() throws { try root.file(Name.departure).remove() }
}
