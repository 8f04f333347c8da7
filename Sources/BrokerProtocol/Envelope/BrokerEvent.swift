// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// What the broker tells an app unasked, where the app's hello asked for events; it holds nothing of any user.
package enum BrokerEvent: Sendable, Equatable {
    /// This epoch is about to end: the app may save, and says ``Operation/readyToEnd`` when it has.
    case willEnd(Epoch, milliseconds: Int)
    /// This epoch ends for want of a person's activity, unless there is some within these seconds.
    case idle(Epoch, seconds: Int)

    private enum Name {
        static let willEnd = "will_end"
        static let idle = "idle"
    }

    var json: JSONValue {
        switch self {
        case .willEnd(let epoch, let milliseconds):
            .object([
                Wire.Member.event: .string(Name.willEnd), Wire.Member.epoch: .string(epoch.description),
                Wire.Member.milliseconds: .integer(milliseconds),
            ])
        case .idle(let epoch, let seconds):
            .object([
                Wire.Member.event: .string(Name.idle), Wire.Member.epoch: .string(epoch.description),
                Wire.Member.seconds: .integer(seconds),
            ])
        }
    }

    /// - Throws: ``EnvelopeFailure`` for an event that this version does not know.
    init(_ name: String, _ members: [String: JSONValue]) throws(EnvelopeFailure) {
        guard let epoch = members[Wire.Member.epoch]?.string.flatMap({ Epoch($0) }) else { throw .shape }
        switch (name, members[Wire.Member.milliseconds]?.integer, members[Wire.Member.seconds]?.integer) {
        case (Name.willEnd, let milliseconds?, nil): self = .willEnd(epoch, milliseconds: milliseconds)
        case (Name.idle, nil, let seconds?): self = .idle(epoch, seconds: seconds)
        default: throw .shape
        }
    }
}
