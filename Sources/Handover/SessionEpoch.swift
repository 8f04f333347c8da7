// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// A period of the device between two changes of worker. Each sign-in and each sign-out begins a new one.
public struct SessionEpoch: Sendable, Hashable {
    let value: Epoch

    init(_ value: Epoch) { self.value = value }

    /// Counts the epochs of this device; a later epoch has a greater number.
    public var number: UInt64 { value.counter }
}
