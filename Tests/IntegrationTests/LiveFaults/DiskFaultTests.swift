// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import MSAL
import TestSupport
import Testing
import UnixSocket

extension LiveFaults {
    /// A real broker whose disk accepts no more writes.
    @Suite struct DiskFaultTests {
        enum Trouble: CaseIterable {
            case full, readOnly

            func befall(_ disk: SmallDisk) async throws {
                switch self {
                case .full: try await disk.fill()
                case .readOnly: try await disk.setReadOnly(true)
                }
            }

            func end(on disk: SmallDisk) async throws {
                switch self {
                case .full: try await disk.free()
                case .readOnly: try await disk.setReadOnly(false)
                }
            }
        }

        @Test(arguments: Trouble.allCases)
        func `while the disk accepts no data nobody signs in or stays signed in, and afterwards the device recovers`(
            trouble: Trouble
        ) async throws {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.broker)
            let disk = try await SmallDisk(live)
            let manager = try live.serviceManager()
            try await live.start(.broker, by: manager, through: disk.entrance)
            try await live.awaitAgent()
            let refused = try live.app(1)

            // Nobody is signed in.
            try await trouble.befall(disk)
            try live.seat("Amara")
            async let refusal = seen { try await refused.signIn() }
            try await live.awaitEnd(of: .broker)
            refused.close()
            _ = try await refusal
            try live.leave()
            try await trouble.end(on: disk)
            try await live.start(.broker, by: manager, through: disk.entrance)
            try await live.awaitAgent()
            try await live.settle()
            let former = try live.app(1)
            #expect(try await former.accounts().current == nil)

            // A session ends even if its end cannot be written while the service manager still keeps the session's key.
            let amara = try await live.signIn("Amara", through: former)
            #expect(try await former.accounts().current == amara)
            let kept = try #require(try manager.kept.first)
            try await trouble.befall(disk)
            async let failure = seen { try await former.signOut(amara) }
            try await live.awaitEnd(of: .broker)
            former.close()
            _ = try await failure
            #expect(try manager.keptNames == [])
            #expect(try bytes(of: kept).allSatisfy { $0 == 0 })
            // Meanwhile no app is served, and no app gets the answer that nobody is signed in.
            let said = try await live.refusal(.broker, by: manager, through: disk.entrance)
            #expect(said.contains(trouble == .full ? "No space left" : "Read-only file system"))

            try await trouble.end(on: disk)
            try await live.start(.broker, by: manager, through: disk.entrance)
            try await live.awaitAgent()
            try await live.settle()
            let app = try live.app(1)
            let told = try await app.accounts()
            #expect(told.current == nil && told.previous == amara)
            try await live.serverHearsOfEveryEnd(below: "/proc/\(disk.holderPID)/root")
            try await live.kill(.broker)
            try await disk.giveBack()
            #expect(try live.isClean)
            try await live.findsNothing(of: "Amara")
            try await live.start(.broker)
            try await live.awaitAgent()
            #expect(try await live.status().receiptsDamagedAt == nil)
            let next = try await live.signIn("Bo", through: app)
            #expect(try await app.signOut(next))
        }

        private func bytes(of file: Descriptor) throws -> [UInt8] {
            try file.withNumber { number in
                try [UInt8](Data(contentsOf: URL(filePath: "/proc/self/fd/\(number)")))
            }
        }
    }
}
