// SPDX-License-Identifier: Apache-2.0
internal import DeviceSettings

/// Identifies the app of a process by its user or by the socket that it connected to, according to the current
/// registry.
struct AppRecognition: Sendable {
    /// Root, the broker's user and the users of the session. Their programs count as programs of the session.
    let sessionUsers: Set<UInt32>
    /// The apps that have their own user, keyed by that user.
    private var users: [UInt32: String] = [:]
    /// The apps that have their own socket.
    private var apps: Set<String> = []

    init(sessionUsers: Set<UInt32>) { self.sessionUsers = sessionUsers }

    /// Takes users and sockets from the registry; nil clears them.
    mutating func follow(_ registry: AppRegistry?) { (users, apps) = (registry?.users ?? [:], registry?.sockets ?? []) }

    /// The app that a process of this user belongs to; nil if the user may not connect.
    func identity(ofUser user: UInt32) -> AppIdentity? {
        if sessionUsers.contains(user) { return .session }
        return users[user].map { .user($0, user) }
    }

    /// The app that owns this socket; nil if the registry does not give the app a socket.
    func identity(throughSocketOf bundleID: String) -> AppIdentity? {
        apps.contains(bundleID) ? .socket(bundleID) : nil
    }
}
