// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Glibc

/// Measures the identity platform as one process: its router over a database on disk, without TLS and sockets.
@main
struct IdentityBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity-benchmark",
        abstract: "Measures sign-ins, refresh tokens and primary refresh tokens, each against the work under it.",
        discussion: "Figures count only from a release build: scripts/benchmark.")

    @Option(help: "Seconds for each figure.") var seconds = 5
    @Option(help: "How many clients ask at once.") var clients = 16
    @Option(help: "log₂ of scrypt's N for the sign-ins.") var passwordCost = 15
    @Option(help: "The folder for the database; it should be on the disk that the server would use.")
    var directory = "."

    func run() async throws {
        let bench = try await Bench(directory: directory, passwordCost: passwordCost)
        defer { bench.remove() }
        let load = Load(seconds: seconds, clients: clients)
        print("| what | a second | a second of one core | p50 | p99 | against |")
        print("|---|---|---|---|---|---|")

        try await grants(bench, load)
        try await passwords(bench)
    }

    /// Measures the same grants for clients of both algorithms, each against the signatures that it needs.
    private func grants(_ bench: Bench, _ load: Load) async throws {
        let limits = [
            ("RS256", try await bench.signing(load), bench.app),
            ("ES256", try await bench.curveSigning(load), bench.curveApp),
        ]
        for (name, signing, app) in limits {
            print(signing.row("\(name) signatures, the limit under every such token"))
            let refresh = try await bench.refreshGrants(load, scope: "offline_access User.Read", of: app)
            print(refresh.row("\(name): refresh grants, one token signed", against: signing, per: 1))
            let two = try await bench.refreshGrants(load, scope: "openid offline_access User.Read", of: app)
            print(two.row("\(name): refresh grants, two tokens signed", against: signing, per: 2))
            let primary = try await bench.primaryGrants(load, scopes: ["User.Read"], of: app)
            print(primary.row("\(name): primary refresh token to app token", against: signing, per: 1))
        }
    }

    private func passwords(_ bench: Bench) async throws {
        let hash = try await bench.hashes(Load(seconds: seconds, clients: 1))
        print(hash.row("password hashes"))
        let signIn = try await bench.signIns(Load(seconds: seconds, clients: 1))
        let ratio = signIn.median / hash.median
        print(signIn.row("sign-ins with a password") + " \(Measured.text(ratio)) of the hash's time |")
    }
}
