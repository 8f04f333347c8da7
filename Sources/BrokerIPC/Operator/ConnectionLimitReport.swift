// SPDX-License-Identifier: Apache-2.0

/// An app that has as many connections to the broker as one may have; nothing of a worker.
package struct ConnectionLimitReport: Sendable, Codable, Equatable {
    /// What the connections wait for, or are there for; `requesting` is about their open requests.
    package enum Stage: String, Sendable, Codable { case waiting, greeting, serving, acknowledging, requesting }

    /// Whose connections.
    package enum Limit: String, Sendable, Codable { case process, app, user, total }

    /// The app's bundle id, where its identity tells it from others.
    package let app: String?
    package let user: UInt32
    /// The process that connected last; a label, 0 where it is not known.
    package let process: Int32
    package let stage: Stage
    /// The limit that was reached.
    package let limit: Limit
    /// How many connections those had whom the limit is for; for `requesting`, how many KiB of open requests.
    package let held: Int
    /// How many were refused, or closed for another one.
    package var closed: Int
    /// Seconds since 1970, of the first and of the last one.
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

    /// What those have as much of as they may, for people.
    package var quantity: String { stage == .requesting ? "\(held) KiB of open requests" : "\(held) connections" }

    /// Who it is about, for people.
    package var whose: String {
        switch limit {
        case .process, .app: app ?? "a program of user \(user) (process \(process))"
        case .user: "user \(user)"
        case .total: "all apps together"
        }
    }
}
