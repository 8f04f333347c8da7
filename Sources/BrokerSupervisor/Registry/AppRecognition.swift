// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice

/// Which app a process is, by its user or by the socket that it connected to, and by the registry of that moment.
struct AppRecognition: Sendable {
    /// Root, the broker's user and the session's: their programs are the session's.
    let sessionUsers: Set<UInt32>
    /// The app of each user that is one app's alone.
    private var users: [UInt32: String] = [:]
    /// The apps with a socket of their own.
    private var apps: Set<String> = []

    init(sessionUsers: Set<UInt32>) { self.sessionUsers = sessionUsers }

    /// Takes users and sockets from the registry. With nil there are none.
    mutating func follow(_ registry: AppRegistry?) { (users, apps) = (registry?.users ?? [:], registry?.sockets ?? []) }

    /// The app that a process of this user is; nil for a user who may not connect.
    func identity(ofUser user: UInt32) -> AppIdentity? {
        if sessionUsers.contains(user) { return .session }
        return users[user].map { .user($0, user) }
    }

    /// The app behind its own socket; nil if the registry does not give it one.
    func identity(throughSocketOf bundleID: String) -> AppIdentity? {
        apps.contains(bundleID) ? .socket(bundleID) : nil
    }
}
