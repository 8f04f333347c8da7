// SPDX-License-Identifier: Apache-2.0

/// TCP ports on the loopback address, for programs that must be given a port.
package enum FreePort {
    /// The ports of `baton-dev up` (`ofEnvironments`), and those of tests that start a server themselves (`ofTests`).
    /// Both are below the ephemeral ports (ip(7), `ip_local_port_range`), so no outgoing connection takes the port of
    /// a server that is not running.
    package static let ofEnvironments: ClosedRange<UInt16> = 10_240...19_999
    package static let ofTests: ClosedRange<UInt16> = 20_000...31_999

    /// Returns a port that is unused now, or nil if none is found. The port is not reserved, so call this as late as
    /// possible.
    package static func tcp(in range: ClosedRange<UInt16> = ofEnvironments) -> UInt16? {
        for _ in 0..<100 {
            if let port = bound(to: UInt16.random(in: range)) { return port }
        }
        return nil
    }

    /// Whether `port` is unused.
    package static func isFree(_ port: UInt16) -> Bool { bound(to: port) != nil }

    /// Listens on `port` for a moment and returns its port; nil if the port is in use.
    private static func bound(to port: UInt16) -> UInt16? { try? LoopbackListener(port: Int(port)).port }
}
