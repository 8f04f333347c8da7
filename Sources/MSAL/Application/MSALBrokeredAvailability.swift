// SPDX-License-Identifier: Apache-2.0

/// Whether the process lets the broker take part.
#if canImport(ObjectiveC)
    @objc(MSALBrokeredAvailability)
#endif
public enum MSALBrokeredAvailability: Int, Sendable {
    /// The broker takes part wherever there is one.
    case auto = 0
    /// The broker takes no part, so that every call ends with -50000/-42714.
    case none = 1
}
