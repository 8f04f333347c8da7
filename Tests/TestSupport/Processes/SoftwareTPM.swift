// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Synchronization
internal import UnixSocket

/// A TPM 2.0 in software (swtpm) with its own state, which it keeps across restarts.
package final class SoftwareTPM: Sendable {
    /// Its address, as a configuration of the TPM2 Software Stack.
    package let configuration: String
    private let socket: String
    private let state: String
    private let scratch: Scratch
    private let running = Mutex<Running?>(nil)

    private struct Running {
        let program: RunningProgram
        let listeners: [Listener]
    }

    private static let executable = "/usr/bin/swtpm"

    private init(_ name: String, in scratch: Scratch) throws {
        (socket, state, self.scratch) = (scratch.path(name + ".sock"), scratch.path(name), scratch)
        configuration = "swtpm:path=" + socket
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    }

    /// Starts a new TPM, which is stopped when the test ends.
    ///
    /// - Parameter name: distinguishes the TPM from other TPMs of the same test.
    /// - Throws: ``TestProblem`` if swtpm is not installed.
    package static func start(_ name: String = "tpm", in scratch: Scratch) async throws -> SoftwareTPM {
        let tpm = try SoftwareTPM(name, in: scratch)
        try await tpm.start()
        return tpm
    }

    /// Starts this TPM again after ``stop()``.
    package func start() async throws {
        guard FileManager.default.isExecutableFile(atPath: Self.executable) else {
            throw TestProblem("\(Self.executable) is missing: run scripts/setup")
        }
        // swtpm gets listening sockets, so that clients can connect at once.
        let listeners = try [socket, socket + ".ctrl"].map { try Listener(path: $0, mode: 0o600) }
        let manager = try ServiceManager(
            in: scratch, sockets: [("tpm", listeners[0].descriptor), ("control", listeners[1].descriptor)])
        let program = try await RunningProgram.start(
            Self.executable,
            [
                "socket", "--tpm2", "--tpmstate", "dir=" + state, "--server", "type=unixio,fd=3", "--ctrl",
                "type=unixio,fd=4", "--flags", "not-need-init,startup-clear",
            ], log: "swtpm.log", awaitsReady: false, manager: manager, in: scratch)
        running.withLock { $0 = Running(program: program, listeners: listeners) }
    }

    /// Ends this TPM as a power cut does. Afterwards nothing listens on its sockets.
    package func stop() async throws {
        let running = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let running else { return }
        for listener in running.listeners { listener.close() }
        running.program.kill()
        _ = try await running.program.waitForExit()
    }

    /// Runs a program of tpm2-tools with this TPM and returns the output.
    ///
    /// - Throws: ``TestProblem`` if it fails.
    package func tool(_ name: String, _ arguments: String...) async throws -> String {
        let log = "tool-\(UInt32.random(in: 0...UInt32.max)).log"
        let program = try await RunningProgram.start(
            "/usr/bin/" + name, arguments, environment: ["TPM2TOOLS_TCTI": configuration, "TSS2_LOG": "all+none"],
            log: log, awaitsReady: false, in: scratch)
        let status = try await program.waitForExit()
        guard status == 0 else { throw TestProblem("\(name): \(try program.log())") }
        return try program.log()
    }
}
