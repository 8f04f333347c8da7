// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// Whether a device may go on in an epoch: equality of the id decides, the counter only orders.
enum EpochRule {
    enum Judgement: Equatable {
        /// A later one than any before.
        case enter
        /// The present one.
        case same
        /// One that the device has left or ended, or another under the present one's number.
        case stale
    }

    static func judge(_ epoch: DeviceEpoch, highest: DeviceEpoch?, isClosed: Bool) -> Judgement {
        guard let highest, epoch.counter <= highest.counter else { return .enter }
        return epoch == highest && !isClosed ? .same : .stale
    }
}
