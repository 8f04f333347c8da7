// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// Decides whether a device may enter an epoch or stay in it. Two epochs are the same only if their ids are equal; the
/// counter only orders epochs.
enum EpochRule {
    enum Judgement: Equatable {
        /// The epoch is later than every epoch of the device so far.
        case enter
        /// The epoch is the device's current epoch.
        case same
        /// The device has left or ended the epoch, or the epoch has the same counter as the current epoch but a
        /// different id.
        case stale
    }

    static func judge(_ epoch: DeviceEpoch, highest: DeviceEpoch?, isClosed: Bool) -> Judgement {
        guard let highest, epoch.counter <= highest.counter else { return .enter }
        return epoch == highest && !isClosed ? .same : .stale
    }
}
