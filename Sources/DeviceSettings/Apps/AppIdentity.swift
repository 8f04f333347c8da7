// SPDX-License-Identifier: Apache-2.0

/// The identity of an app. It is determined once, when the connection is accepted, and kept until that connection ends.
///
/// It is based on two facts that the kernel recorded when the app connected: the socket and the user (`SO_PEERCRED`).
/// Paths are not used, nor are facts that a process can change about itself later.
package enum AppIdentity: Sendable, Codable, Hashable {
    /// The app connected through the socket of the app with this bundle id.
    case socket(String)
    /// The app runs as the user that belongs to this app alone.
    case user(String, UInt32)
    /// Any program of the session's users.
    case session
    /// A program that the worker's browser started. The agent opened that browser, and the program runs as one of the
    /// session's users.
    case browser

    /// Returns whether this identity may make requests in the name of `app`.
    package func mayAct(as app: RegisteredApp) -> Bool {
        switch (self, app.binding) {
        case (.socket(let bundleID), .socket): bundleID == app.bundleID
        case (.user(let bundleID, let user), .user(let declared)): bundleID == app.bundleID && user == declared
        case (.session, .session), (.browser, .session), (.browser, .browser): true
        default: false
        }
    }

    /// The level's name, for output and for programs.
    package var level: String {
        switch self {
        case .socket: AppBinding.socket.level
        case .user(_, let user): AppBinding.user(user).level
        case .session: AppBinding.session.level
        case .browser: AppBinding.browser.level
        }
    }

    /// The app's bundle id; nil if this level does not distinguish apps.
    package var bundleID: String? {
        switch self {
        case .socket(let bundleID), .user(let bundleID, _): bundleID
        case .session, .browser: nil
        }
    }
}
