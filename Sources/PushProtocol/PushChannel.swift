// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The push channel that an enrolled device keeps open to its server, so that the server can notify it
/// (docs/decisions/0007).
///
/// The push channel is one request that stays open: `POST <server URL of the enrollment>/push`, over TLS with the
/// device's MDM identity. The request's body identifies the device to the identity platform. The response's first
/// message is the current state. Nudges and keep-alive messages follow, one JSON object per line. A nudge contains no
/// state: it only tells the device to fetch its state.
package enum PushChannel {
    /// The path suffix after the enrollment's server URL.
    package static let suffix = "/push"
    /// The media type of the response: JSON texts, each followed by a line feed.
    package static let mediaType = "application/x-ndjson"
    /// The maximum size of the request's body in bytes.
    package static let maximumHello = 16 << 10
    /// The maximum size of one message in bytes, without its line feed.
    package static let maximumMessage = 1024

    /// How long the server may be silent, as a multiple of the keep-alive interval.
    package static let patience = 2.5

    static let helloLimits = JSONLimits(bytes: maximumHello, depth: 4, values: 64)
    static let messageLimits = JSONLimits(bytes: maximumMessage, depth: 4, values: 64)

    enum Member {
        static let question = "question"
        static let event = "event"
        static let status = "status"
        static let commands = "commands"
        static let keepAlive = "keep_alive"
    }
}

/// The device's request body when it opens the push channel.
package struct PushHello: Sendable, Equatable {
    /// The signed query for the status of the device and its session. It contains the epoch and the session id. Nil if
    /// the device has not joined a directory.
    package let question: String?

    package init(question: String?) { self.question = question }

    package var bytes: [UInt8] {
        JSONWriter.write(.object(question.map { [PushChannel.Member.question: .string($0)] } ?? [:]))
    }

    /// Parses a request's body; returns nil if it is invalid.
    package init?(bytes: [UInt8]) {
        guard let members = (try? JSONReader.read(bytes, limits: PushChannel.helloLimits))?.object else { return nil }
        switch members[PushChannel.Member.question] {
        case nil: question = nil
        case .string(let text): question = text
        default: return nil
        }
    }
}
