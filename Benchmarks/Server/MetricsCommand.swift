// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import IdentityPlatform
import OAuth
import Observability
import ServerMetrics
import Storage

/// Compares refresh grants with and without metrics, alternately in one process.
struct MetricsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Measures what metrics cost: the same grant without and with them.")

    @Option(help: "Seconds for each of the two.") var seconds = 20

    func run() throws {
        let seconds = seconds
        try blocking {
            let factory = PrometheusFactory()
            factory.declare(IdentityMetrics.declarations + MeasuredDatabase.declarations(["identity"]))
            let benches = [try await Self.bench(nil), try await Self.bench(factory)]
            let scope = "offline_access User.Read"
            var tokens: [String] = []
            for bench in benches {
                tokens.append(
                    try await bench.signIn(client: bench.curveApp.id.rawValue, scope: scope)
                        .string(ReplyName.refreshToken))
            }
            let measured = try await Load(seconds: seconds, clients: 1).inTurns(
                benches.indices.map { index in
                    {
                        tokens[index] = try await benches[index].refresh(
                            tokens[index], scope: scope, of: benches[index].curveApp)
                    }
                })
            guard factory.refused == 0 else { throw BenchProblem("a series is not declared") }
            for (name, measured) in zip(["grant without metrics", "grant with metrics"], measured) {
                Figure("metrics", name, measured).print()
            }
            let text = PrometheusText.render(await factory.families())
            let ratio = measured[1].percentile(50) / measured[0].percentile(50)
            print("with / without, at the median: \(ratio). Published text: \(text.utf8.count) bytes.")
        }
    }

    private static func bench(_ metrics: PrometheusFactory?) async throws -> Bench {
        guard let cost = PasswordCost(logarithm: 10, blockSize: 8, parallelism: 3) else {
            throw BenchProblem("the cost is out of range")
        }
        return try await Bench(
            database: try await SQLiteDatabase(inMemoryWith: IdentitySchema.migrations), passwordCost: cost,
            deviceKeys: DeviceKeys(), metrics: metrics)
    }
}
