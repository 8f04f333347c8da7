// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Dispatch
import Foundation
import Logging
import Synchronization

/// Measures the identity platform and device management as one process: their routers over databases on disk, without
/// TLS and sockets.
///
/// `main` is synchronous, because valgrind cannot follow a program whose first thread ends.
@main
struct ServerBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server-benchmark",
        abstract: "Measures grants, sign-ins and device management. Prints one JSON object per line.",
        discussion: "Figures count only from a release build: scripts/measure/servers.",
        subcommands: [
            ServerCommand.self, MDMCommand.self, ScalingCommand.self, CountCommand.self, AuditCommand.self,
            MetricsCommand.self,
        ])

    static func main() {
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        main(nil)
    }
}

/// How the figures of a group are measured.
struct LoadOptions: ParsableArguments {
    @Option(help: "Seconds for each figure.") var seconds = 5
    @Option(help: "How many clients ask at once.") var clients = 16
    @Option(help: "An empty folder for the databases, on the disk that the server would use.")
    var directory = "."

    var load: Load { Load(seconds: seconds, clients: clients) }
}

/// The grants and sign-ins of the identity platform, and the minimum work that each of them requires.
struct ServerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server", abstract: "Measures refresh tokens, primary refresh tokens and sign-ins.")

    @OptionGroup var options: LoadOptions
    @Option(help: "log₂ of scrypt's N for the sign-ins.") var passwordCost = 15

    func run() throws {
        let (options, passwordCost) = (options, passwordCost)
        try blocking {
            let bench = try await Bench(folder: options.directory, passwordCost: passwordCost)
            try await bench.grants(options)
            try await bench.passwords(options)
        }
    }
}

/// The requests of managed devices.
struct MDMCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mdm", abstract: "Measures the requests of managed devices.")

    @OptionGroup var options: LoadOptions
    @Option(help: "How many devices are enrolled.") var devices = 1_000

    func run() throws {
        let (options, devices) = (options, devices)
        try blocking {
            let bench = try await MDMBench(folder: options.directory)
            try await bench.fill(devices)
            let known = try await bench.sample(of: devices)
            Figure("mdm", "Idle, nothing to do", try await bench.idles(options.load, known)).print()
            let commits = try await CommitBench(folder: options.directory)
            let measured = try await options.load.inTurns([
                { try await commits.commit() }, { try await bench.idle(known[0]) }, { try await bench.turn(known[0]) },
            ])
            Figure("mdm", "SQLite commits of one row", measured[0]).print()
            Figure("mdm", "Idle, nothing to do, one device at a time", measured[1]).print()
            Figure("mdm", "two commands queued, delivered and acknowledged, one device at a time", measured[2]).print()
        }
    }
}

extension Bench {
    /// Measures the same grants for clients of both algorithms, each together with the signatures that it requires.
    fileprivate func grants(_ options: LoadOptions) async throws {
        let load = options.load
        let limits = [
            ("RS256", try await signing(load), app), ("ES256", try await curveSigning(load), curveApp),
        ]
        for (name, signing, app) in limits {
            Figure("server", "\(name): signatures, in process", signing).print()
            Figure(
                "server", "\(name): refresh grant, one token signed",
                try await refreshGrants(load, scope: "offline_access User.Read", of: app)
            ).print()
            Figure(
                "server", "\(name): refresh grant, two tokens signed",
                try await refreshGrants(load, scope: "openid offline_access User.Read", of: app)
            ).print()
            Figure(
                "server", "\(name): primary refresh token to app token",
                try await primaryGrants(load, scopes: ["User.Read"], of: app)
            ).print()
        }
        let (commits, refreshes) = try await commitsAndRefreshGrants(
            load, scope: "offline_access User.Read", of: curveApp)
        Figure("server", "SQLite commits of one row", commits).print()
        Figure("server", "ES256: refresh grant, one client at a time", refreshes).print()
    }

    fileprivate func passwords(_ options: LoadOptions) async throws {
        let (hashes, signIns) = try await signIns(options.load)
        Figure("server", "password hashes, scrypt in process", hashes).print()
        Figure("server", "sign-in with a password", signIns).print()
    }
}

/// Prints a line about the progress.
func report(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// Runs asynchronous code from a thread that does not belong to the pool, and waits for it.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let outcome = Mutex<Result<Value, any Error>?>(nil)
    let semaphore = DispatchSemaphore(value: 0)
    Task.detached {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        outcome.withLock { $0 = result }
        semaphore.signal()
    }
    semaphore.wait()
    guard let outcome = outcome.withLock({ $0 }) else { throw BenchProblem("no outcome") }
    return try outcome.get()
}
