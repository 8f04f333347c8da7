// SPDX-License-Identifier: Apache-2.0
internal import DeviceSettings
internal import Processes

/// How many connections may exist at once: per process, per app, per user, and in total.
package struct ConnectionLimits: Sendable, Equatable {
    package private(set) var process: Int
    /// For all programs of one user's session together, which count as one app.
    package private(set) var session: Int
    /// For an app with its own socket or user.
    package private(set) var app: Int
    package private(set) var user: Int
    package private(set) var total: Int

    package init(process: Int, session: Int, app: Int, user: Int, total: Int) {
        (self.process, self.session, self.app, self.user, self.total) = (process, session, app, user, total)
    }

    /// Connections that the supervisor has accepted and that the session process has not taken yet.
    package static let waiting = ConnectionLimits(process: 64, session: 128, app: 16, user: 160, total: 256)
    /// Connections on which no hello has arrived yet.
    package static let greeting = ConnectionLimits(process: 64, session: 128, app: 16, user: 160, total: 256)
    /// Connections of apps that are being served.
    package static let serving = ConnectionLimits(process: 256, session: 384, app: 64, user: 448, total: 768)
    /// Connections of apps that acknowledge an ended epoch.
    package static let acknowledging = ConnectionLimits(process: 64, session: 96, app: 16, user: 128, total: 192)

    /// Open files that are kept free for the process's state, the network and the programs that it starts.
    package static let reserve = 96
    /// The limit of open files that is enough for every connection. A higher limit would only hide leaks.
    package static let wantedFiles = 4096
    private static let all = [waiting, greeting, serving, acknowledging].map(\.total).reduce(reserve, +)

    /// Returns these limits, reduced to what this process's limit of open files permits.
    package func scaled(files: Int = OpenFileLimit.current) -> ConnectionLimits {
        guard files < Self.all else { return self }
        let share = { max(2, $0 * max(0, files - Self.reserve) / (Self.all - Self.reserve)) }
        return ConnectionLimits(
            process: share(process), session: share(session), app: share(app), user: share(user), total: share(total))
    }

    package func most(of app: ConnectedApp) -> Int { app.identity == .session ? session : self.app }
}
