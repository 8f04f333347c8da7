// SPDX-License-Identifier: Apache-2.0
package import JSON

/// What a frame may hold, for each of the device's sockets; a limit's ``JSONLimits/bytes`` is the longest frame.
extension Wire {
    /// `broker.sock`, apps: envelope, error, its user info, the server's codes in it.
    package static let envelopeLimits = JSONLimits(
        bytes: maximumFrame, depth: 4, values: 512, stringBytes: 64 << 10)
    /// JSON text inside a flat map's value, such as `accounts`, and inside a token.
    package static let nestedLimits = JSONLimits(bytes: 64 << 10, depth: 8, values: 1024)
    /// The longest that a request's parameters may be together: even where each character is escaped they fit into a frame.
    package static let maximumParameters = maximumFrame / 8
    /// `agent.sock`: orders to the agent, and what it tells.
    package static let agentLimits = JSONLimits(bytes: 8 << 10, depth: 4, values: 16)
    /// `control.sock`: the command line; an enrollment profile is the longest.
    package static let operatorLimits = JSONLimits(bytes: 4 << 20, depth: 8, values: 1024)
    /// The pair of sockets between the supervisor and the session process: the device as that process must know it.
    package static let sessionLimits = JSONLimits(bytes: 1 << 20, depth: 16, values: 32 << 10)
}
