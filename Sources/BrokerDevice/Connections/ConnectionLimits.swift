// SPDX-License-Identifier: Apache-2.0
internal import Processes

/// How many connections there may be at once: of one process, of one app, of one user, and in all.
package struct ConnectionLimits: Sendable, Equatable {
    package private(set) var process: Int
    /// Of all programs of one user's session together, which are one app.
    package private(set) var session: Int
    /// Of an app with a socket or a user of its own.
    package private(set) var app: Int
    package private(set) var user: Int
    package private(set) var total: Int

    package init(process: Int, session: Int, app: Int, user: Int, total: Int) {
        (self.process, self.session, self.app, self.user, self.total) = (process, session, app, user, total)
    }

    /// Accepted by the supervisor, and not yet taken by the session process.
    package static let waiting = ConnectionLimits(process: 64, session: 128, app: 16, user: 160, total: 256)
    /// Connected, and no hello yet.
    package static let greeting = ConnectionLimits(process: 64, session: 128, app: 16, user: 160, total: 256)
    /// Apps that are served.
    package static let serving = ConnectionLimits(process: 256, session: 384, app: 64, user: 448, total: 768)
    /// Apps that acknowledge an ended epoch.
    package static let acknowledging = ConnectionLimits(process: 64, session: 96, app: 16, user: 128, total: 192)

    /// Files of a process that no connection may take: those of its state, of the network, and of the programs it starts.
    package static let reserve = 96
    /// Open files that are enough for every connection; more would only make leaks harder to see.
    package static let wantedFiles = 4096
    private static let all = [waiting, greeting, serving, acknowledging].map(\.total).reduce(reserve, +)

    /// As much of each as this process may have open files for.
    package func scaled(files: Int = OpenFileLimit.current) -> ConnectionLimits {
        guard files < Self.all else { return self }
        let share = { max(2, $0 * max(0, files - Self.reserve) / (Self.all - Self.reserve)) }
        return ConnectionLimits(
            process: share(process), session: share(session), app: share(app), user: share(user), total: share(total))
    }

    package func most(of app: ConnectedApp) -> Int { app.identity == .session ? session : self.app }
}
