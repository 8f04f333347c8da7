// SPDX-License-Identifier: Apache-2.0
package import JSON

/// The numbers that both ends of the broker socket agree on.
package enum Wire {
    /// The transport version that this code speaks; the broker serves the last two.
    package static let transport = 1
    /// The version of the flat maps (`msg_protocol_ver`).
    package static let messageProtocol = "4"
    /// Bytes of one frame without its length.
    package static let maximumFrame = 1 << 20

    enum Member {
        static let hello = "hello"
        static let transportMinimum = "transport_min"
        static let transportMaximum = "transport_max"
        static let transport = "transport"
        static let clientName = "client_name"
        static let clientVersion = "client_version"
        static let brokerVersion = "broker_version"
        static let protocolVersion = "msg_protocol_ver"
        static let operations = "operations"
        static let maximumFrame = "max_frame"
        static let epoch = "epoch"
        static let operation = "sso_request_operation"
        static let requestID = "sso_request_id"
        static let parameters = "sso_request_param"
        static let isSilent = "is_silent"
        static let response = "response"
        static let error = "error"
        static let cancel = "cancel"
        static let endedEpoch = "ended_epoch"
        static let events = "events"
        static let event = "event"
        static let milliseconds = "milliseconds"
        static let seconds = "seconds"
    }
}

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

/// Why a frame is not a message of this protocol.
package enum EnvelopeFailure: Error, Equatable {
    case json(JSONFailure)
    /// JSON, but with none of the shapes that may stand here.
    case shape
}
