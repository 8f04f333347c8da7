// SPDX-License-Identifier: Apache-2.0
import Foundation
import WorkerState

/// Where reports go: as JSON, one object a line, or as text for a person.
struct Terminal {
    let isJSON: Bool

    func show(_ report: Report) { write(isJSON ? json(report) : text(report)) }

    /// Clears the screen and what was scrolled off it, where there is a screen.
    func clear() {
        guard !isJSON, isatty(STDOUT_FILENO) == 1 else { return }
        write("\u{1B}[H\u{1B}[2J\u{1B}[3J", terminator: "")
    }

    private func write(_ text: String, terminator: String = "\n") {
        FileHandle.standardOutput.write(Data((text + terminator).utf8))
    }

    private func json(_ report: Report) -> String {
        var object = report.fields
        object[report.kind.rawValue] = report.name
        object["error"] = report.problem?.code
        object["message"] = report.problem?.message
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts by texts always encode.
        return (try? encoder.encode(object)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    private func text(_ report: Report) -> String {
        if let problem = report.problem { return "\(report.name): \(problem.message)" }
        switch (report.name, report.fields["username"], report.fields["current"]) {
        case ("account", let username?, _): return "Signed in: \(username)"
        case ("account", nil, _): return "Nobody is signed in."
        case ("device", _, _):
            let isShared = report.fields["mode"] == "shared"
            let menu = "device, sign-in, \(isShared ? "" : "sign-up, ")me, note TEXT, show, sign-out, quit"
            return "This is \(isShared ? "a shared" : "a personal") device. Commands: \(menu)"
        default:
            let shown = report.fields.filter { $0.key != "id" }.sorted { $0.key < $1.key }
            return ([report.name] + shown.map { "  \($0.key): \($0.value)" }).joined(separator: "\n")
        }
    }
}
