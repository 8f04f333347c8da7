// SPDX-License-Identifier: Apache-2.0

/// How the broker distinguishes an app from the others, as the registry declares it. docs/app-identity.md compares the
/// levels.
package enum AppBinding: Sendable, Codable, Hashable {
    /// The app has its own socket. The service manager or a launcher gives that socket to no other app.
    case socket
    /// The app has its own user. Nothing else runs as that user.
    case user(UInt32)
    /// The app is not distinguished: any program of the session's users may act as any app with this binding.
    case session
    /// The worker's browser started the program. Only the native messaging host has this binding, and no registry can
    /// declare it.
    case browser

    /// Reads the fields of a registry entry: the level, and the user id that the level `user` requires.
    ///
    /// - Returns: nil if the level is unknown, if the user is missing, or if a user is given for another level.
    package init?(level: String?, user: UInt32?) {
        switch (level, user) {
        case ("socket", nil): self = .socket
        case ("user", let user?): self = .user(user)
        case ("session", nil), (nil, nil): self = .session
        default: return nil
        }
    }

    /// The level's name, for output and for programs.
    package var level: String {
        switch self {
        case .socket: "socket-bound"
        case .user: "uid-bound"
        case .session: "session-bound"
        case .browser: "browser-bound"
        }
    }
}
