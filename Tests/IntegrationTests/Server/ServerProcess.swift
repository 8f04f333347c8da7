// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes
import Synchronization
import TestSupport
import Testing

/// A real `baton-server` in its own folder. Tests administer it over the administration socket.
final class ServerProcess: Sendable {
    /// The server's state folder.
    let state: String
    private let changes: [String: any Sendable]
    /// The path of the configuration file.
    let configuration: String
    private let scratch: Scratch
    private let environment: [String: String]
    private let current = Mutex(Current())

    private struct Current {
        var port = 0
        var mdmPort = 0
        var program: RunningProgram?
    }

    /// The port of the main listener; it changes if a start finds the port taken.
    var port: Int { current.withLock { $0.port } }
    /// The port of the devices' listener.
    var mdmPort: Int { current.withLock { $0.mdmPort } }

    /// - Parameters:
    ///   - changes: keys of the configuration file, which are added to the usual keys or replace them.
    ///   - environment: variables that are added to the tests' own environment.
    init(
        _ changes: [String: any Sendable] = [:], environment: [String: String] = [:], in scratch: Scratch
    ) throws {
        self.environment = environment
        let name = "server-\(UInt32.random(in: 0...UInt32.max))"
        (self.scratch, self.changes) = (scratch, changes)
        state = changes["directory"] as? String ?? scratch.path(name)
        configuration = scratch.path(name + ".json")
        try configure()
    }

    /// Writes the configuration file, with ports that are free now.
    private func configure() throws {
        let port = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
        let mdmPort = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
        current.withLock { ($0.port, $0.mdmPort) = (port, mdmPort) }
        let keys: [String: any Sendable] = [
            "directory": state, "port": port, "mdmPort": mdmPort,
            "passwordCost": 10,
            "names": [
                "login": "login.test", "deviceRegistration": "drs.test", "graph": "graph.test", "mdm": "mdm.test",
            ],
        ].merging(changes) { $1 }
        try JSONSerialization.data(withJSONObject: keys).write(to: URL(filePath: configuration))
    }

    /// Starts the server and waits until it is ready. If another program has taken a port, tries other ports.
    func start() async throws {
        for attempt in 1...5 {
            do {
                let program = try await launch()
                return current.withLock { $0.program = program }
            } catch let problem as TestProblem
                where attempt < 5 && problem.description.contains("Address already in use")
            {
                try configure()
            }
        }
    }

    /// Starts a server that is expected to exit by itself, and returns its exit code and output.
    func fail() async throws -> (code: Int32, text: String) {
        try #require(try await failOrStart(), "the server is ready")
    }

    /// Starts a server that may exit by itself before it is ready.
    ///
    /// - Returns: its exit code and output; nil if it is ready.
    func failOrStart() async throws -> (code: Int32, text: String)? {
        let (program, isReady) = try await RunningProgram.launch(
            try RunningProgram.built("baton-server"), ["--config", configuration], environment: environment,
            log: logName, in: scratch)
        return isReady ? nil : (try await program.waitForExit(), try program.log())
    }

    private func launch() async throws -> RunningProgram {
        try await RunningProgram.start(
            try RunningProgram.built("baton-server"), ["--config", configuration], environment: environment,
            log: logName, in: scratch)
    }

    private var logName: String { "log-\(UInt32.random(in: 0...UInt32.max))" }

    private var running: RunningProgram { get throws { try #require(current.withLock { $0.program }) } }

    var pid: Int32 { get throws { try running.pid } }

    /// Sends a signal.
    func signal(_ signal: Int32) throws { try running.send(signal) }

    /// Sends a signal and returns the exit code, or the negative number of the signal that ended the process.
    func end(by signal: Int32) async throws -> Int32 {
        let program = try running
        program.send(signal)
        return try await program.waitForExit()
    }

    /// Waits until the server has ended by itself, and returns the exit code.
    func ends() async throws -> Int32 { try await running.waitForExit() }

    /// The log of the running server, or of the last server that ran.
    func log() throws -> String { try running.log() }

    /// The file with that log.
    var logPath: String { get throws { try running.logPath } }

    /// Makes one call on the administration socket; returns status and body.
    func administer(_ method: String, _ path: String, _ body: String = "") throws -> (status: Int, body: String) {
        try AdminSocket(state: state).call(method, path, body)
    }
}
