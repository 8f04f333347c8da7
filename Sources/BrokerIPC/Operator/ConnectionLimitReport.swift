// SPDX-License-Identifier: Apache-2.0

/// An app that reached a limit on connections to the broker. Contains no data about a worker.
package struct ConnectionLimitReport: Sendable, Codable, Equatable {
    /// The stage that the connections are in. For `requesting`, the limit applies to the size of the connections' open
    /// requests.
    package enum Stage: String, Sendable, Codable { case waiting, greeting, serving, acknowledging, requesting }

    /// The scope of the limit.
    package enum Limit: String, Sendable, Codable { case process, app, user, total }

    /// The app's bundle id, if its identity distinguishes it from other apps.
    package let app: String?
    package let user: UInt32
    /// The process that connected last; informational only, 0 if unknown.
    package let process: Int32
    package let stage: Stage
    /// The limit that was reached.
    package let limit: Limit
    /// How many connections counted against the limit; for `requesting`, how many KiB of open requests.
    package let held: Int
    /// How many connections were refused, or closed to make room for another connection.
    package var closed: Int
    /// The times of the first and the last event, in seconds since 1970.
    package var first: Int
    package var last: Int

    package init(
        app: String?, user: UInt32, process: Int32, stage: Stage, limit: Limit, held: Int, closed: Int = 1, at time: Int
    ) {
        (self.app, self.user, self.process, self.stage, self.limit) = (app, user, process, stage, limit)
        (self.held, self.closed, first, last) = (held, closed, time, time)
    }

    /// Whether `other` is about the same app and limit.
    package func isAbout(sameAs other: ConnectionLimitReport) -> Bool {
        app == other.app && user == other.user && stage == other.stage && limit == other.limit
    }

    /// The quantity that counted against the limit, as a text for people.
    package var quantity: String { stage == .requesting ? "\(held) KiB of open requests" : "\(held) connections" }

    /// The holder of the connections, as a text for people.
    package var whose: String {
        switch limit {
        case .process, .app: app ?? "a program of user \(user) (process \(process))"
        case .user: "user \(user)"
        case .total: "all apps together"
        }
    }
}
