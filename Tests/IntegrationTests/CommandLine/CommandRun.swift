// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The output and exit status of one run of `baton`.
struct CommandRun {
    let code: Int32
    let output: String
    let errors: String

    init(code: Int32, output: String, errors: String) {
        (self.code, self.output, self.errors) = (code, output, errors)
    }

    /// Runs `baton` with these arguments until it ends.
    ///
    /// - Parameters:
    ///   - environment: a file that the shell sources first, as a person would.
    ///   - wrapper: the command that starts `baton`; empty for none.
    ///   - file: the file for standard output. If nil, it is in `output`.
    init(
        _ arguments: [String], sourcing environment: String? = nil, through wrapper: [String] = [],
        to file: String? = nil, in scratch: Scratch
    ) async throws {
        let running = try await Self.start(
            arguments, sourcing: environment, through: wrapper, to: file, in: scratch)
        code = try await running.program.waitForExit()
        output = try running.program.log()
        errors = try textOfFile(running.errors)
    }

    /// Starts `baton`. Standard output goes to the program's log, and standard error to a separate file.
    ///
    /// - Parameter display: the screen for its windows; empty for none.
    static func start(
        _ arguments: [String], sourcing environment: String? = nil, through wrapper: [String] = [],
        to file: String? = nil, on display: String = "",
        awaitsReady: Bool = false, in scratch: Scratch
    ) async throws -> (program: RunningProgram, errors: String) {
        let name = "baton-\(UInt32.random(in: 0...UInt32.max))"
        let errors = scratch.path(name + ".errors")
        let redirection = file.map { " >'\($0)'" } ?? ""
        let script = (environment == nil ? "" : #". "$1"; shift; "#) + #"exec "$@" 2>"$0""# + redirection
        let command =
            ["-c", script, errors] + [environment].compactMap(\.self) + wrapper + [try RunningProgram.built("baton")]
            + arguments
        do {
            let program = try await RunningProgram.start(
                "/bin/sh", command, environment: ["DISPLAY": display, "WAYLAND_DISPLAY": ""], log: name,
                awaitsReady: awaitsReady, in: scratch)
            return (program, errors)
        } catch let problem as TestProblem {
            throw TestProblem("\(problem)\n\(try textOfFile(errors))")
        }
    }

    /// An error as `--json` prints it.
    struct Failure: Decodable {
        let error: Parts

        struct Parts: Decodable {
            let code: String
            let message: String
            let remedy: String
        }

        init(_ text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
    }
}
