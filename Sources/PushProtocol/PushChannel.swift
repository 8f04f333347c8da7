// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The push channel that an enrolled device holds open to its server, so that the server can wake it (docs/decisions/0007).
///
/// One request without an end: `POST <server URL of the enrollment>/push`, over TLS with the device's MDM identity. The
/// device says who it is for the identity platform; the answer's first message is the present state, then come nudges
/// and signs of life, one JSON object a line. A nudge says nothing but "ask": what holds is always fetched.
package enum PushChannel {
    /// What follows the server URL of the enrollment.
    package static let suffix = "/push"
    /// The type of the answer's body: JSON texts, each ended by a line feed.
    package static let mediaType = "application/x-ndjson"
    /// Bytes of the request's body.
    package static let maximumHello = 16 << 10
    /// Bytes of one message without its line feed.
    package static let maximumMessage = 1024

    /// How long the server may be silent, as a multiple of the interval at which it promises signs of life.
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

/// What the device says when it opens the push channel.
package struct PushHello: Sendable, Equatable {
    /// The signed question how the device and its session stand, which states epoch and session; nil where the device has
    /// joined no directory.
    package let question: String?

    package init(question: String?) { self.question = question }

    package var bytes: [UInt8] {
        JSONWriter.write(.object(question.map { [PushChannel.Member.question: .string($0)] } ?? [:]))
    }

    /// Reads a request's body; nil where it is none.
    package init?(bytes: [UInt8]) {
        guard let members = (try? JSONReader.read(bytes, limits: PushChannel.helloLimits))?.object else { return nil }
        switch members[PushChannel.Member.question] {
        case nil: question = nil
        case .string(let text): question = text
        default: return nil
        }
    }
}
