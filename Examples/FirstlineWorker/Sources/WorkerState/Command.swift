// SPDX-License-Identifier: Apache-2.0

/// A command of the user.
package enum Command: Equatable, Sendable {
    case device
    case signIn(hint: String?)
    case signUp
    case me
    case note(String)
    case show
    case signOut
    case quit
    /// An unknown command, with the line's first word.
    case unknown(String)

    /// Parses one line.
    package init(line: String) {
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count > 1 ? parts[1] : nil) {
        case ("device", nil): self = .device
        case ("sign-in", let hint): self = .signIn(hint: hint)
        case ("sign-up", nil): self = .signUp
        case ("me", nil): self = .me
        case ("note", let text?): self = .note(text)
        case ("show", nil): self = .show
        case ("sign-out", nil): self = .signOut
        case ("quit", nil): self = .quit
        default: self = .unknown(parts.first ?? "")
        }
    }

    /// The name of the command in its answer.
    package var name: String {
        switch self {
        case .device: "device"
        case .signIn: "sign-in"
        case .signUp: "sign-up"
        case .me: "me"
        case .note: "note"
        case .show: "show"
        case .signOut: "sign-out"
        case .quit: "quit"
        case .unknown(let word): word
        }
    }
}
