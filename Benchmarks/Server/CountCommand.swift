// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CryptoExtras
import FoundationEssentials
import Glibc
import IdentityPlatform
import MDMServer
import OAuth
import Storage
import Synchronization

/// Repeats one piece of work, so that its instructions can be counted: see scripts/measure/instructions.
struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Repeats one piece of work over a database in memory.", shouldDisplay: false)

    /// The pieces of work whose instructions can be counted.
    enum Work: String, CaseIterable, ExpressibleByArgument {
        case refreshGrant = "refresh-grant"
        case primaryGrant = "primary-grant"
        case managementIdle = "management-idle"
    }

    @Argument var work: Work
    @Argument(help: "How often the work is repeated.") var count: Int
    @Option(help: "A PEM file with an RSA key of 2048 bits: making one takes a varying number of instructions.")
    var key: String

    func run() throws {
        let (work, count) = (work, count)
        let pem = String(decoding: try Data(contentsOf: URL(filePath: key)), as: UTF8.self)
        let key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
        try blocking {
            switch work {
            case .refreshGrant:
                let bench = try await Self.bench(key)
                let scope = "offline_access User.Read"
                var token = try await bench.signIn(client: bench.curveApp.id.rawValue, scope: scope)
                    .string(ReplyName.refreshToken)
                for _ in 0..<count { token = try await bench.refresh(token, scope: scope, of: bench.curveApp) }
            case .primaryGrant:
                let bench = try await Self.bench(key)
                let registration = try await bench.registrationToken()
                let session = try await BenchDevice(joining: bench, with: registration, number: 1).session()
                for _ in 0..<count {
                    try await session.redeem(try session.useRequest(["User.Read"], by: bench.curveApp))
                }
            case .managementIdle:
                let database = try await SQLiteDatabase(inMemoryWith: MDMSchema.migrations)
                let bench = try await MDMBench(
                    database: database, packages: FileManager.default.temporaryDirectory.path + "/packages")
                try await bench.fill(1)
                let devices = try await bench.sample(of: 1)
                for _ in 0..<count { try await bench.idle(devices[0]) }
            }
        }
        // Ends the process at once, so that ending the threads is not counted.
        _exit(0)
    }

    /// A platform whose random bytes are the same in each run.
    private static func bench(_ key: _RSA.Signing.PrivateKey) async throws -> Bench {
        let state = Mutex<UInt64>(1)
        let environment = ClockAndRandomness(
            now: { .now },
            randomBytes: { count in
                state.withLock { state in
                    (0..<count).map { _ in
                        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        return UInt8(truncatingIfNeeded: state >> 56)
                    }
                }
            }, makeRSAKey: { key })
        return try await Bench(
            database: try await SQLiteDatabase(inMemoryWith: IdentitySchema.migrations), passwordCost: .minimal,
            deviceKeys: DeviceKeys(key), environment: environment)
    }
}
