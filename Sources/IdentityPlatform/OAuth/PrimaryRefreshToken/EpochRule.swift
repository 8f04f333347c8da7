// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// Decides whether a device may continue in an epoch. Equality of the id decides; the counter only gives the order.
enum EpochRule {
    enum Judgement: Equatable {
        /// Later than any before.
        case enter
        /// The current epoch.
        case same
        /// An epoch that the device has left or ended, or another epoch with the current one's number.
        case stale
    }

    static func judge(_ epoch: DeviceEpoch, highest: DeviceEpoch?, isClosed: Bool) -> Judgement {
        guard let highest, epoch.counter <= highest.counter else { return .enter }
        return epoch == highest && !isClosed ? .same : .stale
    }
}
