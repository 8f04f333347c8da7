// SPDX-License-Identifier: Apache-2.0

/// A change that a transaction made. Code outside the database must be notified of it.
///
/// An announcement is a value, not a closure, so that a database with several nodes can send it to the other nodes.
package protocol Announcement: Sendable {
    /// The announcement as it is sent to other nodes.
    var message: AnnouncementMessage { get }

    /// Decodes an announcement from another node; returns nil if the message is of another kind or malformed.
    init?(_ message: AnnouncementMessage)
}

/// An announcement as nodes send it to each other.
///
/// Every role of a database server can read and send notifications. A message therefore contains only an identifier of
/// what changed. The identifier means nothing outside Baton. A receiver does no more than check again what it already
/// knows.
package struct AnnouncementMessage: Announcement, Hashable {
    /// The kind of the change: 1 to 32 small letters and hyphens.
    package let kind: String
    /// The identifier of what changed: up to 128 visible ASCII characters.
    package let key: String

    package init(kind: String, key: String = "") { (self.kind, self.key) = (kind, key) }

    package init?(_ message: AnnouncementMessage) { self = message }

    package var message: AnnouncementMessage { self }

    /// The message that says that announcements may have been lost.
    package static let gap = AnnouncementMessage(kind: "gap")

    /// Whether the message can be sent.
    package var isSendable: Bool {
        (1...32).contains(kind.utf8.count) && key.utf8.count <= 128
            && kind.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-") }
            && key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// What an observer of one kind of announcement receives.
package enum Observation<Value: Announcement>: Sendable {
    case change(Value)
    /// Announcements from other nodes may have been lost. The observer must check everything that an announcement could
    /// have concerned.
    case gap

    /// The announcement; nil for a gap.
    package var change: Value? { if case .change(let value) = self { value } else { nil } }
}

extension Database {
    /// Calls `observer` with each announcement of one kind, from this process and from other nodes. See ``observe(_:)``
    /// for the restrictions on observers.
    package func observe<Value: Announcement>(
        _ kind: Value.Type, _ observer: @escaping @Sendable (Observation<Value>) -> Void
    ) {
        observe { announcement in
            switch announcement {
            case let value as Value: observer(.change(value))
            case let message as AnnouncementMessage where message == .gap: observer(.gap)
            case let message as AnnouncementMessage: if let value = Value(message) { observer(.change(value)) }
            default: break
            }
        }
    }
}
