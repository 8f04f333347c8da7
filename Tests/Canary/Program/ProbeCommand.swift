// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import Glibc
import Processes
import TraceSearch
import UnixSocket

/// Reports whether this process can read the memory of another process that protects its memory.
struct ProbeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Tell whether this user may read the memory of a process that keeps it to itself.",
        discussion: "Starts such a process and looks for a text in it. Exit code 0: it was found; 2: it cannot be read."
    )

    @Argument(parsing: .captureForPassthrough, help: "The command through which that process is started.")
    var wrapper: [String] = []

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let text = String((0..<32).map { _ in "0123456789abcdef".randomElement() ?? "0" })
        let (child, input, output) = try holder()
        defer {
            child.kill()
            _ = try? child.waitForExit()
        }
        let line = Array((text + "\n").utf8)
        guard input.withNumber({ unsafe write($0, line, line.count) }) == line.count else { throw ExitCode(2) }
        var answer: UInt8 = 0
        guard output.withNumber({ unsafe read($0, &answer, 1) }) == 1 else { throw ExitCode(2) }
        let isSeen = try reporting { () throws(SystemError) in try HeldSecrets.canBeSeen(text, in: child.pid) }
        guard isSeen else { throw ExitCode(2) }
    }

    /// Starts ``HoldCommand``. This process closes the child's ends of the pipes, so it notices when the child ends.
    private func holder() throws -> (child: ChildProcess, input: Descriptor, output: Descriptor) {
        let (theirInput, input) = try pipe()
        let (output, theirOutput) = try pipe()
        let child = try ChildProcess.spawnBound(
            through: wrapper, executable: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            arguments: ["hold"], environment: ["PATH": "/usr/bin:/bin"],
            descriptors: [(theirInput, as: STDIN_FILENO), (theirOutput, as: STDOUT_FILENO)])
        return (child, input, output)
    }

    private func pipe() throws -> (read: Descriptor, write: Descriptor) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw ExitCode(2) }
        return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }
}

/// Keeps a line of text in memory that other programs of the user may not read, as the session process does with its
/// secrets.
struct HoldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "hold", shouldDisplay: false)

    func run() throws {
        try OwnMemory.shut()
        let text = readLine()
        print("ready")
        fflush(nil)
        while readLine() != nil {}
        withExtendedLifetime(text) {}
    }
}

/// Tries to inspect processes, with the rights that any other program of their user has.
struct SameUserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "same-user",
        abstract: "Try to look into processes as any other program of their user.",
        discussion: """
            Exit code 0: none of them can be looked into, though one that does nothing about it can; 1: one can, and its \
            number is printed; 2: nothing can be looked into, which proves nothing.
            """)

    @Argument(help: "The processes.") var pids: [Int32]

    func run() throws {
        let child = try ChildProcess.spawnBound(executable: "/usr/bin/sleep", arguments: ["600"], environment: [:])
        defer {
            child.kill()
            _ = try? child.waitForExit()
        }
        guard HeldSecrets.canBeRead(child.pid) else { throw ExitCode(2) }
        let open = pids.filter { HeldSecrets.canBeRead($0) }
        print((["open:"] + open.map { "\($0)" }).joined(separator: " "))
        guard open.isEmpty else { throw ExitCode(1) }
    }
}
