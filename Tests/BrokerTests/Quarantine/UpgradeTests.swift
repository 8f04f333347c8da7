// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Files
import Foundation
import JSON
import Receipts
import TestSupport
import Testing

/// This version opens the state that each released version left, and continues (docs/packaging.md). No fixture holds a
/// key.
@Suite(.timeLimit(.minutes(10))) struct UpgradeTests {
    private static let fixtures = Repository.root + "/Tests/BrokerTests/Fixtures"

    /// The states of a session on a device with format 2.
    enum Moment: String, CaseIterable {
        case ready, signedIn = "signed-in", signingOut = "signing-out"
    }

    @Test(arguments: Moment.allCases)
    func `a device with format 2 becomes ready, and keeps what outlives a session`(moment: Moment) async throws {
        try await Scratch.with { scratch in
            try FileManager.default.copyItem(
                atPath: Self.fixtures + "/format-2/" + moment.rawValue, toPath: scratch.path("device"))
            let files = DeviceFiles(root: Directory(path: scratch.path("device")))
            let (join, tombstones) = (try files.join(), try files.tombstones())
            let (ended, live) = (try files.endedSessions(), try files.liveSession())
            #expect(join != nil && !tombstones.isEmpty)
            // The chain was written under a key that is not in the fixture.
            let end = try #require(try ReceiptStore(directory: files.receipts).end())
            let chain = ReceiptFile(bytes: try ReceiptStore(directory: files.receipts).export())
            #expect(chain.receipts.last?.receipt.place.sequence == end.sequence)
            try FileManager.default.removeItem(atPath: files.receipts.path)

            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 0)
                while try await fixture.status().session != "ready" {
                    guard case .close(let epoch) = try await agent.order() else { throw TestProblem("no close") }
                    agent.say(.closed(epoch: epoch))
                }
                let status = try await fixture.status()
                #expect(status.mode == "shared" && status.deviceID == join?.deviceID)
                #expect(status.lockedApps == ["org.example.rounds"])
            }
            #expect(try files.format() == (2, true))
            #expect(try files.session.names().isEmpty && files.liveSession() == nil)
            #expect(try Set(files.tombstones().keys) == Set(tombstones.keys))
            let told = try files.endedSessions().map(\.serverSession)
            #expect(Set(told).isSuperset(of: ended.map(\.serverSession) + [live?.serverSession].compactMap(\.self)))
        }
    }

    @Test func `every journal format that a version wrote can be read`() throws {
        let folder = Self.fixtures + "/format-2/journals"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names.count >= 8)
        for name in names {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder + "/" + name)))
            let record = try #require(JournalRecord(bytes: bytes), "\(name)")
            #expect(name.hasPrefix(record.stateName), "\(name)")
            // A record written today has the same content.
            #expect(JournalRecord(bytes: record.bytes) == record, "\(name)")
        }
    }

    @Test func `frames that a library of each transport version sends can be read`() throws {
        let folder = Self.fixtures + "/transport-1"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names.contains { $0.hasPrefix("hello") } && names.contains { $0.hasPrefix("request") })
        for name in names {
            let frame = [UInt8](try Data(contentsOf: URL(filePath: folder + "/" + name)))
            switch try ClientMessage(bytes: frame) {
            case .hello(let hello):
                #expect(name.hasPrefix("hello") && hello.transports.contains(Wire.transport), "\(name)")
            case .request(let request):
                let isServed = BrokerProtocol.Operation.all.contains(request.operation)
                #expect(name.hasPrefix("request") && isServed, "\(name)")
            case .cancel: #expect(name.hasPrefix("cancel"), "\(name)")
            }
        }
    }

    @Test func `no fixture holds a key`() throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: Self.fixtures) {
            #expect(!name.contains("keys/") && !name.contains("identities/"), "\(name)")
            guard let text = FileManager.default.contents(atPath: Self.fixtures + "/" + name) else { continue }
            #expect(text.range(of: Data("PRIVATE KEY".utf8)) == nil, "\(name)")
        }
    }
}
