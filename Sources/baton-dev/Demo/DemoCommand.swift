// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandLineInterface
import FoundationEssentials
import Glibc

/// Plays the hand-over from one worker to the next and checks every step.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Play the hand-over from one worker to the next, and check every step.",
        discussion: "Exit code 0 only if every check held.")

    @OptionGroup var options: EnvironmentOptions
    @Option(help: "The program that acts as the person at the browser.") var person = "Tests/Person/person.py"
    @Option(help: "The program that searches for what a worker left behind; by default canary, beside this program.")
    var canary: String?
    @Flag(help: "Keep the environment's folder.") var keep = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
        umask(0o077)
        try await output.reporting {
            let layout = options.layout
            guard !FileManager.default.fileExists(atPath: layout.root) else {
                throw CommandFailure(
                    code: "folder_exists", message: "\(layout.root) exists, but the demo needs a new environment.",
                    remedy: "Remove it, or give another --directory.")
            }
            let narrator = Narrator(isJSON: output.json)
            let programs = try options.programs
            let stage = try Stage(
                layout: layout, programs: programs, person: URL(filePath: person).path,
                canary: try canary.map { URL(filePath: $0).path } ?? programs.beside("canary"), narrator: narrator)
            do {
                try await Story(stage).play()
            } catch {
                try await close(stage, .failed, line: "Not every check held.")
                throw error is CommandFailure ? error : Self.failure(error, layout)
            }
            try await close(stage, .ok, line: "Every check held.")
            if !keep { try FileManager.default.removeItem(atPath: layout.root) }
        }
    }

    private func close(_ stage: Stage, _ result: NarratedEvent.Result, line: String) async throws {
        try await stage.end()
        var ended = NarratedEvent(.ended)
        ended.result = result
        try stage.narrator.tell(ended, lines: [line])
    }

    private static func failure(_ error: any Error, _ layout: EnvironmentLayout) -> CommandFailure {
        CommandFailure(code: "story_failed", message: "\(error)", remedy: "The logs are in \(layout.logs).")
    }
}
