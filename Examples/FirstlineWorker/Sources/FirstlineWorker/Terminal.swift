// SPDX-License-Identifier: Apache-2.0
import Foundation
import WorkerState
import Workers

/// Prints reports: as JSON, one object per line, or as text for people.
@MainActor final class Terminal {
    private let isJSON: Bool
    private let output: @MainActor (String) -> Void
    /// The last message about who is signed in, so that it is not repeated.
    private var account: String?

    /// - Parameter output: writes a line with its line end; standard output by default.
    init(
        isJSON: Bool,
        output: @escaping @MainActor (String) -> Void = { FileHandle.standardOutput.write(Data($0.utf8)) }
    ) {
        self.isJSON = isJSON
        self.output = output
    }

    func show(_ report: Report) {
        guard !isJSON else { return write(json(report)) }
        let words = text(report)
        if report.name == "account" {
            guard words != account else { return }
            account = words
        }
        if !words.isEmpty { write(words) }
    }

    /// Clears the screen and its scrollback, if there is a screen.
    func clear() {
        guard !isJSON, isatty(STDOUT_FILENO) == 1 else { return }
        write("\u{1B}[H\u{1B}[2J\u{1B}[3J", terminator: "")
    }

    private func write(_ text: String, terminator: String = "\n") {
        output(text + terminator)
    }

    private func json(_ report: Report) -> String {
        var object = report.fields
        object[report.kind.rawValue] = report.name
        object["error"] = report.problem?.code
        object["message"] = report.problem?.message
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding a dictionary of strings never fails.
        return (try? encoder.encode(object)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    private func text(_ report: Report) -> String {
        if let problem = report.problem {
            let hint = problem.code == "command" ? "\n\(Self.commands)" : ""
            return "\(report.name): \(problem.message)\(hint)"
        }
        let fields = report.fields
        switch report.name {
        case "account": return fields["username"].map { "Signed in: \($0)" } ?? "Nobody is signed in."
        case "device": return device(isShared: fields["mode"] == "shared")
        case "sign-in", "sign-up": return "Every app on this device knows you now."
        case "sign-out": return "Signed out. Nothing of yours is left in this app."
        case "me": return ["displayName", "jobTitle", "mail"].compactMap { fields[$0] }.joined(separator: ", ")
        case "note": return "Your note is kept."
        case "show": return fields["note"].map { "Your note: \($0)" } ?? "You have no note."
        default: return ""
        }
    }

    private func device(isShared: Bool) -> String {
        isShared
            ? "This is a shared device.\n\(Self.commands)"
            : "This is a personal device: sign-up makes a new account.\n\(Self.commands)"
    }

    private static let commands = "Commands: device, sign-in, me, note TEXT, show, sign-out, quit"
}
