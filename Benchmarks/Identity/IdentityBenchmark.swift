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

        let signing = try await bench.signing(load)
        print(signing.row("RSA-2048 signatures, the limit under every RS256 token"))
        let refresh = try await bench.refreshGrants(load, scope: "offline_access User.Read")
        print(refresh.row("refresh grants, one token signed", against: signing, per: 1))
        let refreshWithIdentity = try await bench.refreshGrants(load, scope: "openid offline_access User.Read")
        print(refreshWithIdentity.row("refresh grants, two tokens signed", against: signing, per: 2))
        let primary = try await bench.primaryGrants(load, scopes: ["User.Read"])
        print(primary.row("primary refresh token to app token, one token signed", against: signing, per: 1))

        let hash = try await bench.hashes(Load(seconds: seconds, clients: 1))
        print(hash.row("password hashes"))
        let signIn = try await bench.signIns(Load(seconds: seconds, clients: 1))
        let ratio = signIn.median / hash.median
        print(signIn.row("sign-ins with a password") + " \(Measured.text(ratio)) of the hash's time |")
    }
}
