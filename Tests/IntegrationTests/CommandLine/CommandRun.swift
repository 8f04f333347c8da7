// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The output and exit status of one run of `baton` or `baton-dev`.
struct CommandRun {
    let code: Int32
    let output: String
    let errors: String

    init(code: Int32, output: String, errors: String) {
        (self.code, self.output, self.errors) = (code, output, errors)
    }

    /// Runs a program with these arguments until it ends.
    ///
    /// - Parameters:
    ///   - name: the program, `baton` or `baton-dev`.
    ///   - environment: a file that the shell sources first, as a person would.
    ///   - wrapper: the command that starts the program; empty for none.
    ///   - file: the file for standard output; if nil, `output` contains standard output.
    init(
        _ arguments: [String], of name: String = "baton", sourcing environment: String? = nil,
        through wrapper: [String] = [], to file: String? = nil, in scratch: Scratch
    ) async throws {
        let running = try await Self.start(
            arguments, of: name, sourcing: environment, through: wrapper, to: file, in: scratch)
        code = try await running.program.waitForExit()
        output = try running.program.log()
        errors = try textOfFile(running.errors)
    }

    /// Starts a program. Standard output goes to the program's log, and standard error to a separate file.
    ///
    /// - Parameter display: the screen for its windows; empty for none.
    static func start(
        _ arguments: [String], of name: String = "baton", sourcing environment: String? = nil,
        through wrapper: [String] = [], to file: String? = nil, on display: String = "",
        awaitsReady: Bool = false, in scratch: Scratch
    ) async throws -> (program: RunningProgram, errors: String) {
        let log = "\(name)-\(UInt32.random(in: 0...UInt32.max))"
        let errors = scratch.path(log + ".errors")
        let redirection = file.map { " >'\($0)'" } ?? ""
        let script = (environment == nil ? "" : #". "$1"; shift; "#) + #"exec "$@" 2>"$0""# + redirection
        let command =
            ["-c", script, errors] + [environment].compactMap(\.self) + wrapper + [try RunningProgram.built(name)]
            + arguments
        do {
            let program = try await RunningProgram.start(
                "/bin/sh", command, environment: ["DISPLAY": display, "WAYLAND_DISPLAY": ""], log: log,
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
            let candidates: [Candidate]?
        }

        struct Candidate: Decodable { let id: String, name: String }

        init(_ text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
    }
}
