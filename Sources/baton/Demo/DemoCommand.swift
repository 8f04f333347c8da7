// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import Glibc

/// Plays the hand-over from one worker to the next and checks every step.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Play the hand-over from one worker to the next, and check every step.",
        discussion: "Exit code 0 only if every check held.")

    @OptionGroup var options: WorldOptions
    @Option(help: "The program that acts as the person at the browser.") var person = "Tests/Person/person.py"
    @Option(help: "The folder of the programs that search for what a worker left behind.") var canary = "Tests/Canary"
    @Flag(help: "Leave the world's folder as the story left it.") var keep = false

    func run() async throws {
        umask(0o077)
        let layout = WorldLayout(root: URL(filePath: options.directory).path)
        guard !FileManager.default.fileExists(atPath: layout.root) else {
            OutputOptions.print(
                [
                    "baton: \(layout.root) exists; the story plays in a new world.",
                    "  Remove it, or give another --directory.",
                ],
                to: STDERR_FILENO)
            throw ExitCode.failure
        }
        let stage = try Stage(
            layout: layout, programs: try options.programs, person: URL(filePath: person).path,
            canary: URL(filePath: canary).path)
        do {
            try await Story(stage).play()
            try stage.end()
            if !keep { try FileManager.default.removeItem(atPath: layout.root) }
        } catch {
            OutputOptions.print(["  ✗ \(error)", "  The logs are in \(layout.logs)."], to: STDERR_FILENO)
            try stage.end()
            throw ExitCode.failure
        }
    }
}
