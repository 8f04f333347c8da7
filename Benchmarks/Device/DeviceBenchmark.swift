// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CRoundTrip
import Dispatch
import Glibc
import MSAL

/// Measures an app's calls to the broker of a running environment, in turns with a bare round trip of the same bytes.
@main
struct DeviceBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device-benchmark",
        abstract: "Measures the cached token and the current account through MSAL and the broker.",
        discussion: """
            The program must be registered as an app of the device, and a worker must be signed in: \
            scripts/benchmark-device does both. Figures count only from a release build on a quiet machine.
            """)

    @Option(help: "The app's configuration, as the sample app reads it.") var config: String
    @Option(help: "Calls of each kind.") var calls = 20_000
    @Option(help: "The processor of this program.") var processor = 0
    @Option(help: "The processor of the broker, which the caller has pinned to it.") var brokerProcessor = 1

    func run() throws {
        // Before anything starts a thread.
        let reference = try Reference(processor: Int32(brokerProcessor))
        guard croundtrip_pin(Int32(processor)) == 0 else { throw BenchProblem("there is no processor \(processor)") }
        let app = try App(AppConfiguration(file: config))
        let tokens = try app.tokenSubjects(reference)
        let accounts = try app.accountSubjects(reference)
        print("| what | p50 | p99 | of the reference: p50 | p99 | CPU time of the app | switches |")
        print("|---|---|---|---|---|---|---|")
        for subjects in [tokens, accounts] {
            let measured = subjects.measureInTurns(calls: calls)
            for figures in measured { print(figures.row(against: measured[0])) }
        }
    }
}

struct BenchProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
