// SPDX-License-Identifier: Apache-2.0
internal import Encodings
internal import Storage

/// The server's notification channel through which the nodes that use one schema announce changes to each other.
///
/// Other roles of the same database can send and read notifications, too.
struct NotificationChannel: Sendable {
    /// The channel's name. It needs no quotes, because names of schemas contain only small letters, digits and `_`.
    private let name: String
    /// Distinguishes this database object from all others, including those in the same process.
    let sender: String

    init(of schema: String) {
        name = "baton_" + schema
        sender = Hexadecimal.text(UInt64.random(in: 0...UInt64.max))
    }

    /// Notifies all listening connections. Inside a transaction, the server sends the notifications when the
    /// transaction is committed. Transactions that send notifications are committed one after the other.
    func notify(
        _ announcements: [any Announcement], over server: ServerConnection, limit: Duration
    ) throws(Failure) {
        guard !announcements.isEmpty else { return }
        for text in AnnouncementBatch.texts(of: announcements.map(\.message), from: sender) {
            _ = try server.execute("SELECT pg_notify(\(name), \(text))", limit: limit)
        }
    }

    /// Lets the connection receive all notifications from now on.
    func listen(over server: ServerConnection, limit: Duration) throws(Failure) {
        try server.command("LISTEN \(name)", limit: limit)
    }

    /// Sends a notification without announcements. The connection that sends it must also receive it.
    func probe(over server: ServerConnection, limit: Duration) throws(Failure) {
        for text in AnnouncementBatch.texts(of: [], from: sender) {
            _ = try server.execute("SELECT pg_notify(\(name), \(text))", limit: limit)
        }
    }
}
