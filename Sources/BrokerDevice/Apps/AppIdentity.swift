// SPDX-License-Identifier: Apache-2.0

/// Who an app is, taken once when its connection is accepted and kept until that connection ends.
///
/// It rests on two facts that the kernel fixed when the app connected: which socket it came through, and its user
/// (`SO_PEERCRED`). Nothing that a process can change about itself afterwards, or that lies at a path, has a part in it.
package enum AppIdentity: Sendable, Codable, Hashable {
    /// It came through the socket of this app (a bundle id).
    case socket(String)
    /// It runs as the user that is this app's alone.
    case user(String, UInt32)
    /// Some program of the session's users.
    case session

    /// Whether requests of this identity may be made in the name of `app`.
    package func mayAct(as app: RegisteredApp) -> Bool {
        switch (self, app.binding) {
        case (.socket(let bundleID), .socket): bundleID == app.bundleID
        case (.user(let bundleID, let user), .user(let declared)): bundleID == app.bundleID && user == declared
        case (.session, .session): true
        default: false
        }
    }

    /// The level's name, for people and programs.
    package var level: String {
        switch self {
        case .socket: AppBinding.socket.level
        case .user(_, let user): AppBinding.user(user).level
        case .session: AppBinding.session.level
        }
    }

    /// The app, where this level tells one from the other.
    package var bundleID: String? {
        switch self {
        case .socket(let bundleID), .user(let bundleID, _): bundleID
        case .session: nil
        }
    }
}
