// SPDX-License-Identifier: Apache-2.0
package import JSON

/// Constants that both ends of the broker socket share.
package enum Wire {
    /// The only transport version that this code supports.
    package static let transport = 1
    /// The version of the flat maps (`msg_protocol_ver`).
    package static let messageProtocol = "4"
    /// The maximum number of bytes in a frame, without its length prefix.
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

/// The limits of the JSON on each of the device's sockets; ``JSONLimits/bytes`` is also the maximum frame size.
extension Wire {
    /// `broker.sock`, for apps. The depth covers the envelope, an error, its user info and the server's error codes.
    package static let envelopeLimits = JSONLimits(
        bytes: maximumFrame, depth: 4, values: 512, stringBytes: 64 << 10)
    /// JSON text inside a value of a flat map, such as `accounts`, and inside a token.
    package static let nestedLimits = JSONLimits(bytes: 64 << 10, depth: 8, values: 1024)
    /// The maximum total length of a request's parameters. They fit into a frame even if every character is escaped.
    package static let maximumParameters = maximumFrame / 8
    /// `agent.sock`: the agent's messages. The longest message lists what browsers held open when the agent looked.
    package static let agentLimits = JSONLimits(bytes: 64 << 10, depth: 5, values: 1024)
    /// `agent.sock`: the supervisor's commands to the agent. The longest commands contain the configuration of the
    /// worker's browser, or the folders and processes of apps.
    package static let agentOrderLimits = JSONLimits(bytes: 4 << 20, depth: 6, values: 256 << 10)
    /// `helper.sock`, for the privileged helper. The longest content is the list of leftovers in a user's folders.
    package static let helperLimits = JSONLimits(bytes: 256 << 10, depth: 8, values: 4096, stringBytes: 8192)
    /// `control.sock`, for the command line. The longest content is an enrollment profile.
    package static let operatorLimits = JSONLimits(bytes: 4 << 20, depth: 8, values: 1024)
    /// `status.sock`, for home screens. The longest content is the list of apps that a sign-out waits for.
    package static let statusLimits = JSONLimits(bytes: 256 << 10, depth: 6, values: 4096)
    /// The socket pair between the supervisor and the session process. The longest contents are the device state for
    /// that process, and the requests to the erasers of the maximum number of apps.
    package static let sessionLimits = JSONLimits(bytes: 8 << 20, depth: 16, values: 256 << 10)
}

/// Why a frame is not a message of this protocol.
package enum EnvelopeFailure: Error, Equatable {
    case json(JSONFailure)
    /// The frame is JSON but matches none of the allowed shapes.
    case shape
}
