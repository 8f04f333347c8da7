// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Glibc
internal import Processes

/// The browser of the person who runs this program.
package enum SystemBrowser {
    /// Whether the person has a screen on this machine.
    package static var hasScreen: Bool {
        let environment = ProcessInfo.processInfo.environment
        return ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }

    /// Opens an address, with the program that `BROWSER` names or with `xdg-open`. Does nothing if neither can be
    /// started: the person can open the address themselves.
    ///
    /// The address becomes an argument, which other users of the machine can read. It contains no secret.
    package static func open(_ address: String) async {
        let environment = ProcessInfo.processInfo.environment
        // Several browsers are separated by colons; the first is preferred.
        let chosen = environment["BROWSER"]?.split(separator: ":").first.map(String.init) ?? ""
        var words = (chosen.isEmpty ? "xdg-open" : chosen).split(separator: " ").map(String.init)
        guard let name = words.first, let program = path(of: name, environment["PATH"] ?? "") else { return }
        words.removeFirst()
        if words.contains("%s") { words = words.map { $0 == "%s" ? address : $0 } } else { words.append(address) }
        guard
            let browser = try? ChildProcess.spawn(
                executable: program, name: name, arguments: words, environment: environment, output: .discarded)
        else { return }
        // The browser may stay open for longer than this program.
        Task.detached { try? await blocking { _ = try browser.waitForExit() } }
    }

    private static func path(of name: String, _ folders: String) -> String? {
        let candidates = name.contains("/") ? [name] : folders.split(separator: ":").map { "\($0)/\(name)" }
        return candidates.first { unsafe access($0, X_OK) == 0 }
    }
}
