// SPDX-License-Identifier: Apache-2.0

/// By what the broker tells an app from the others, as the registry declares it; docs/app-identity.md says what each is
/// worth.
package enum AppBinding: Sendable, Codable, Hashable {
    /// By a socket of its own, which the service manager or a launcher hands to nobody else.
    case socket
    /// By a user of its own, under whom nothing else runs.
    case user(UInt32)
    /// Not at all: every program of the session's users is one of these apps as much as the other.
    case session

    /// Reads the words of a registry: the level, and the user that `user` needs.
    ///
    /// - Returns: nil for a level that is not known, a user that is missing, or one that no level asked for.
    package init?(level: String?, user: UInt32?) {
        switch (level, user) {
        case ("socket", nil): self = .socket
        case ("user", let user?): self = .user(user)
        case ("session", nil), (nil, nil): self = .session
        default: return nil
        }
    }

    /// The level's name, for people and programs.
    package var level: String {
        switch self {
        case .socket: "socket-bound"
        case .user: "uid-bound"
        case .session: "session-bound"
        }
    }
}
