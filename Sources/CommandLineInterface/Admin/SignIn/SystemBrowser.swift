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

    /// Why the browser has not opened an address.
    package struct Failure: Error, CustomStringConvertible {
        /// The end of a sentence.
        package let description: String
    }

    /// Opens an address, with the program that `BROWSER` names or with `xdg-open`, and waits until the program ends.
    ///
    /// The address becomes an argument, which other users of the machine can read. It contains no secret.
    ///
    /// - Throws: ``Failure`` if the program cannot be started, or if it fails.
    package static func open(_ address: String) async throws {
        let environment = ProcessInfo.processInfo.environment
        // Several browsers are separated by colons; the first is preferred.
        let chosen = environment["BROWSER"]?.split(separator: ":").first.map(String.init) ?? ""
        var words = (chosen.isEmpty ? "xdg-open" : chosen).split(separator: " ").map(String.init)
        let name = words.first ?? ""
        guard let program = path(of: name, environment["PATH"] ?? "") else {
            throw Failure(description: "\(name) is not installed")
        }
        words.removeFirst()
        if words.contains("%s") { words = words.map { $0 == "%s" ? address : $0 } } else { words.append(address) }
        let browser: ChildProcess
        do {
            browser = try ChildProcess.spawn(
                executable: program, name: name, arguments: words, environment: environment, output: .discarded)
        } catch {
            throw Failure(description: "\(name) cannot be started (\(error))")
        }
        let status = try await blocking { try browser.waitForExit() }
        guard status.isSuccess else { throw Failure(description: "\(name) ended with \(status.text)") }
    }

    private static func path(of name: String, _ folders: String) -> String? {
        let candidates = name.contains("/") ? [name] : folders.split(separator: ":").map { "\($0)/\(name)" }
        return candidates.first { unsafe access($0, X_OK) == 0 }
    }
}
