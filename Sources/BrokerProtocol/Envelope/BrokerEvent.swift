// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// A message that the broker sends on its own to an app whose hello asked for events. It contains no user data.
package enum BrokerEvent: Sendable, Equatable {
    /// This epoch is about to end. The app may save, and sends ``Operation/readyToEnd`` when it has saved.
    case willEnd(Epoch, milliseconds: Int)
    /// This epoch ends because of inactivity, unless there is user activity within this number of seconds.
    case idle(Epoch, seconds: Int)
    /// An app is no longer locked in this epoch: requests that were refused because of the lock may be repeated.
    case unlocked(Epoch)

    /// The name of an event type.
    package struct Name: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package static let willEnd = Name(rawValue: "will_end")
        package static let idle = Name(rawValue: "idle")
        package static let unlocked = Name(rawValue: "unlocked")

        /// The events of this protocol version, as the broker's hello lists them.
        package static let all: [Name] = [.willEnd, .idle, .unlocked]
    }

    package var name: Name {
        switch self {
        case .willEnd: .willEnd
        case .idle: .idle
        case .unlocked: .unlocked
        }
    }

    var json: JSONValue {
        switch self {
        case .willEnd(let epoch, let milliseconds):
            .object([
                Wire.Member.event: .string(name.rawValue), Wire.Member.epoch: .string(epoch.description),
                Wire.Member.milliseconds: .integer(milliseconds),
            ])
        case .idle(let epoch, let seconds):
            .object([
                Wire.Member.event: .string(name.rawValue), Wire.Member.epoch: .string(epoch.description),
                Wire.Member.seconds: .integer(seconds),
            ])
        case .unlocked(let epoch):
            .object([Wire.Member.event: .string(name.rawValue), Wire.Member.epoch: .string(epoch.description)])
        }
    }

    /// - Throws: ``EnvelopeFailure`` for an unknown or malformed event.
    init(_ name: String, _ members: Envelope) throws(EnvelopeFailure) {
        guard let epoch = members[Wire.Member.epoch]?.string.flatMap({ Epoch($0) }) else { throw .shape }
        switch (Name(rawValue: name), members[Wire.Member.milliseconds]?.integer, members[Wire.Member.seconds]?.integer)
        {
        case (.willEnd, let milliseconds?, nil): self = .willEnd(epoch, milliseconds: milliseconds)
        case (.idle, nil, let seconds?): self = .idle(epoch, seconds: seconds)
        case (.unlocked, nil, nil): self = .unlocked(epoch)
        default: throw .shape
        }
    }
}
