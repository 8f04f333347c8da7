// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import Glibc
import TraceSearch

/// Searches for traces of a worker.
@main struct CanaryProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "canary",
        abstract: "Search files and processes for texts that must not be there, or must.",
        subcommands: [
            SearchCommand.self, HarvestCommand.self, SessionKeyCommand.self, ProbeCommand.self, HoldCommand.self,
            SameUserCommand.self,
        ])
}

/// Prints the tokens of a process.
struct HarvestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "harvest", abstract: "Print the tokens that a process holds, as canaries for a search.",
        discussion: "Exit code 0: there are some; 1: there are none; 2: the memory cannot be read.")

    @Argument(help: "The process.") var pid: Int32

    func run() throws {
        let tokens = try reporting { () throws(SystemError) in try HeldSecrets.tokens(of: pid) }
        print(String(decoding: try JSONEncoder().encode(tokens), as: UTF8.self))
        guard !tokens.isEmpty else { throw ExitCode(1) }
    }
}

/// Prints the session key of a process.
struct SessionKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session-key",
        abstract: "Print the session key that a process of the broker holds in its memory file, in hexadecimal.",
        discussion: "Exit code 1: there is none, or more than one; 2: its files cannot be read.")

    @Argument(help: "The process.") var pid: Int32

    func run() throws {
        let keys = try reporting { () throws(SystemError) in try HeldSecrets.sessionKeys(of: pid) }
        guard let key = keys.first, keys.count == 1 else {
            complain("\(keys.count) session keys")
            throw ExitCode(1)
        }
        print(key.hexadecimal)
    }
}

/// Ends the program with exit code 2 if `body` fails.
func reporting<Value>(_ body: () throws(SystemError) -> Value) throws -> Value {
    do throws(SystemError) { return try body() } catch {
        complain(error.reason)
        throw ExitCode(2)
    }
}

func complain(_ text: String) {
    let line = Array("canary: \(text)\n".utf8)
    _ = unsafe write(STDERR_FILENO, line, line.count)
}
