// SPDX-License-Identifier: Apache-2.0

/// A request to erase all data of the worker who was signed in during an ended epoch.
public struct Erasure: Sendable, Hashable {
    /// The epoch whose data must be erased.
    public let epoch: SessionEpoch
}
