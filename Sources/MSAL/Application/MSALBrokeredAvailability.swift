// SPDX-License-Identifier: Apache-2.0

/// Whether the process uses the broker.
#if canImport(ObjectiveC)
    @objc(MSALBrokeredAvailability)
#endif
public enum MSALBrokeredAvailability: Int, Sendable {
    /// Use the broker if there is one.
    case auto = 0
    /// Do not use the broker. Every call fails with -50000/-42714.
    case none = 1
}
