// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CRoundTrip
import Foundation
import Glibc

/// Acts as the apps of a device for scripts/measure/device.
@main
struct DeviceBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device-benchmark",
        abstract: "Measures what apps of a device experience.",
        discussion: """
            The apps must be registered on the device, and a worker signed in: scripts/measure/device does both. Each \
            command prints lines of JSON.
            """,
        subcommands: [CachedCalls.self, FirstTokens.self, ChangeNotice.self])
}

/// Measures cached calls alternately with bare round trips of the same bytes and with oidc-agent.
struct CachedCalls: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cached", abstract: "Measures the cached token and the current account.")

    @Option(help: "The app's configuration, as the sample app reads it.") var config: String
    @Option(help: "Calls of each kind.") var calls = 20_000
    @Option(help: "The processor of this program.") var processor = 0
    @Option(help: "The processor of the broker, which the caller has pinned to it.") var brokerProcessor = 1
    @Option(help: "An account of the running oidc-agent.") var oidcAgentAccount: String?

    func run() throws {
        // The reference must be made before anything starts a thread.
        let reference = try Reference(processor: Int32(brokerProcessor))
        guard croundtrip_pin(Int32(processor)) == 0 else { throw BenchProblem("there is no processor \(processor)") }
        let app = try App(AppConfiguration(file: config))
        var tokens = try app.tokenSubjects(reference)
        if let oidcAgentAccount { tokens.append(try OIDCAgent().subject("cached token", account: oidcAgentAccount)) }
        for subjects in [tokens, try app.accountSubjects(reference)] {
            for figures in subjects.measureInTurns(calls: calls) { printLine(figures) }
        }
    }
}

/// Measures the first token of each app in a session.
struct FirstTokens: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "first", abstract: "Measures the first silent token of each of many apps.")

    @Option(help: "A JSON list of the apps' configurations.") var apps: String

    func run() throws {
        let configurations = try JSONDecoder().decode(
            [AppConfiguration].self, from: Data(contentsOf: URL(filePath: apps)))
        var figures = Figures(name: "first token")
        for configuration in configurations {
            // The app knows the account before its first token, as an app does if it has already shown who is signed
            // in.
            let app = try App(knowingAccountOf: configuration)
            let (before, start) = (Usage.now, ContinuousClock.now)
            try app.token()
            figures.add([UInt64(start.duration(to: .now) / .nanoseconds(1))], Usage.now.since(before))
        }
        printLine(figures)
    }
}

/// Waits for the next change of the account.
struct ChangeNotice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notice",
        abstract: "Tells when MSAL posts that the account may have changed. Then runs on until its input ends.")

    @Option(help: "The app's configuration, as the sample app reads it.") var config: String

    private struct Line: Encodable {
        let event: String
        /// Nanoseconds of CLOCK_MONOTONIC.
        let nanoseconds: UInt64
    }

    func run() throws {
        let app = try App(knowingAccountOf: AppConfiguration(file: config))
        let changed: UInt64 = waited { done in
            _ = NotificationCenter.default.addObserver(forName: App.accountChange, object: nil, queue: nil) { _ in
                done(monotonic())
            }
            printLine(Line(event: "waiting", nanoseconds: monotonic()))
        }
        printLine(Line(event: "changed", nanoseconds: changed))
        // An app keeps running after the notice. If fifty apps exited, that would delay the notices of the others.
        try withExtendedLifetime(app) { _ = try FileHandle.standardInput.readToEnd() }
    }
}

/// Nanoseconds of the clock that Python's `time.monotonic_ns` reads.
private func monotonic() -> UInt64 {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 else { fatalError("no clock") }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

private func printLine(_ value: some Encodable) {
    guard let line = try? JSONEncoder().encode(value) else { fatalError("not JSON") }
    FileHandle.standardOutput.write(line + Data("\n".utf8))
}

struct BenchProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
