// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceKeyStore
import DeviceSettings
import Files
import Foundation
import Leftovers
import OAuth
import Processes
import Receipts
import SessionIPC
import Synchronization
import TestSupport
import Testing

/// The receipts that a device writes, as another machine reads them.
@Suite(.timeLimit(.minutes(10))) struct ReceiptTests {
    @Test func `a sign-out has a receipt before the device is ready, and the chain is intact`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                for _ in 0..<3 { try await fixture.playSession(through: agent) }
            }
            let shelf = Shelf(scratch)
            let receipts = try shelf.file().receipts.map(\.receipt)
            #expect(receipts.map(\.place.sequence) == [1, 2, 3])
            #expect(receipts.allSatisfy { $0.trigger == "operator" && !$0.isAttempt && $0.device == "d" })
            #expect(
                receipts.allSatisfy {
                    Set($0.items.map(\.name)) == [
                        "session_key", "session_process", "browser", "files", "browser_extension", "browser_policies",
                    ]
                })
            #expect(receipts.allSatisfy { $0.accessTokensEndBy == .none && $0.subject == .unknown })
            #expect(try shelf.verdict().isIntact)
        }
    }

    @Test func `a receipt accounts for every entry of the list of leftovers`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                try await fixture.playSession(through: fixture.agent(of: 1000))
            }
            let receipt = try #require(try Shelf(scratch).file().receipts.first?.receipt)
            let items = Set(receipt.items.map(\.name))
            let unobserved = try #require(receipt.remains.unobserved)
            // Without baton-helper nobody searches folders.
            #expect(receipt.remains.left == .unknown)
            for entry in Leftover.all where entry.fate != .kept {
                #expect(unobserved.contains(entry.name) != items.contains(entry.item ?? ""), "\(entry.name)")
            }
            #expect(unobserved == unobserved.sorted() && unobserved.contains(Leftover.otherFolders))
            #expect(Set(unobserved).isSubset(of: Leftover.all.map(\.name) + [Leftover.otherFolders]))
        }
    }

    @Test func `a receipt names the subject of the session and the time at which its tokens end`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                try await fixture.playSession(through: agent) {
                    fixture.sessionProcessSends(.receiptSubject("p1.AbC-_9"))
                    fixture.sessionProcessSends(.tokenWanted(until: 1_795_245_000))
                    fixture.sessionProcessSends(.tokenWanted(until: 1_795_244_700))
                    let noted = [
                        try await fixture.sessionProcessReceives(.tokenNoted),
                        try await fixture.sessionProcessReceives(.tokenNoted),
                    ]
                    #expect(noted == [.tokenNoted(until: 1_795_245_000), .tokenNoted(until: 1_795_244_700)])
                }
            }
            let receipt = try #require(try Shelf(scratch).file().receipts.first?.receipt)
            #expect(receipt.subject == .known("p1.AbC-_9"))
            #expect(receipt.accessTokensEndBy == .known(1_795_245_000))
        }
    }

    @Test func `after a supervisor died with its session, the receipt gives a bound, never an earlier time`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                _ = try await fixture.signIn(through: agent)
                fixture.sessionProcessSends(.receiptSubject("p1.AbC"))
                fixture.sessionProcessSends(.tokenWanted(until: 1_795_245_000))
                #expect(try await fixture.sessionProcessReceives(.tokenNoted) == .tokenNoted(until: 1_795_245_000))
            }
            try await SupervisorFixture.with(scratch) { fixture in
                try await fixture.finish(through: fixture.agent(of: 1000))
            }
            let receipt = try #require(try Shelf(scratch).file().receipts.first?.receipt)
            #expect(receipt.trigger == "supervisor-lost")
            #expect(receipt.subject == .known("p1.AbC"))
            guard case .known(let time) = receipt.accessTokensEndBy else { throw TestProblem("no bound") }
            #expect(time >= 1_795_245_000)
            // Without its draft, the receipt says that these facts are unknown.
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
            }
            try FileManager.default.removeItem(atPath: scratch.path("device/receipts/draft.json"))
            try await SupervisorFixture.with(scratch) { fixture in
                try await fixture.finish(through: fixture.agent(of: 1000))
            }
            let second = try #require(try Shelf(scratch).file().receipts.last?.receipt)
            #expect(second.accessTokensEndBy == .unknown)
            #expect(second.subject == .unknown)
            #expect(second.times.began == nil)
        }
    }

    @Test func `a hand-over that is reported twice has one receipt`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                try await fixture.playSession(through: fixture.agent(of: 1000))
            }
            let shelf = Shelf(scratch)
            let receipt = try #require(try shelf.file().receipts.first?.receipt)
            // The power failed between the writes of the receipt and of the journal.
            let commit = Commit(
                ended: try #require(Epoch(receipt.ended)), next: try #require(Epoch(receipt.next)), trigger: .operator,
                isAttempt: false)
            try DeviceFiles(root: Directory(path: scratch.path("device"))).write(.signingOut(commit))
            try await SupervisorFixture.with(scratch) { fixture in
                try await fixture.finish(through: fixture.agent(of: 1000))
            }
            #expect(try shelf.file().receipts.count == 1)
        }
    }

    @Test func `a device that is not joined writes no receipts`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch, isJoined: false) { fixture in
                fixture.order(.join(JoinOrder(loginURL: "", registrationURL: "", tenant: "", deviceName: "")))
                _ = try await fixture.ask(.signOut(fromBrowser: false))
            }
            #expect(try Shelf(scratch).file().receipts.isEmpty)
        }
    }

    /// A write that a power cut interrupted: a part of a line, or other bytes that the disk may contain there.
    @Test(arguments: ["{", #"{"type":"baton.receipt","version":1"#, "\0\0\0\0", "{}\n", "half a line\nand another"])
    func `a receipt that was never acknowledged is dropped, and the chain continues`(torn: String) async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                try await fixture.playSession(through: fixture.agent(of: 1000))
            }
            let shelf = Shelf(scratch)
            let file = try FileHandle(forWritingTo: try shelf.segment)
            try file.seekToEnd()
            try file.write(contentsOf: Data(torn.utf8))
            try file.close()
            #expect(try shelf.verdict().isIntact)
            try await SupervisorFixture.with(scratch) { fixture in
                try await fixture.playSession(through: fixture.agent(of: 1000))
            }
            #expect(try shelf.file().receipts.map(\.receipt.place.sequence) == [1, 2])
            #expect(try shelf.verdict().isIntact)
            #expect(try shelf.damaged.isEmpty)
        }
    }

    @Test func `a line that was written and not acknowledged is written once`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                try await fixture.playSession(through: fixture.agent(of: 1000))
            }
            let shelf = Shelf(scratch)
            let end = URL(filePath: shelf.folder + "/end.json")
            let first = try Data(contentsOf: end)
            try await SupervisorFixture.with(scratch) { fixture in
                try await fixture.playSession(through: fixture.agent(of: 1000))
            }
            let receipt = try #require(try shelf.file().receipts.last?.receipt)
            // The power failed before the end was written: the line exists, but was never acknowledged.
            try first.write(to: end)
            let commit = Commit(
                ended: try #require(Epoch(receipt.ended)), next: try #require(Epoch(receipt.next)), trigger: .operator,
                isAttempt: false)
            try DeviceFiles(root: Directory(path: scratch.path("device"))).write(.signingOut(commit))
            try await SupervisorFixture.with(scratch) { fixture in
                try await fixture.finish(through: fixture.agent(of: 1000))
            }
            #expect(try shelf.file().receipts.map(\.receipt.place.sequence) == [1, 2])
            #expect(try shelf.file().receipts.last?.receipt.ended == receipt.ended)
            #expect(try shelf.verdict().isIntact)
            #expect(try shelf.damaged.isEmpty)
        }
    }

    @Test func `the chain is stored in pieces, and the oldest pieces are deleted`() async throws {
        try await Scratch.with { scratch in
            let chain = try StoredChain(scratch, segmentBytes: 3000, maximumSegments: 3)
            for number in 1...30 { try chain.append(at: number) }
            let verdict = try chain.verdict()
            #expect(verdict.isIntact)
            #expect(verdict.last == 30)
            #expect(try #require(verdict.first) > 1)
            #expect(try chain.segments == 3)
        }
    }

    @Test func `receipts are deleted when their period is over by the server's clock`() async throws {
        try await Scratch.with { scratch in
            let day = 86_400
            let chain = try StoredChain(scratch, period: .seconds(64 * day))
            for number in 0..<100 { try chain.append(at: number * day) }
            // Each file holds the receipts of two days. Without a countersignature, none is deleted.
            #expect(try chain.verdict().first == 1)
            #expect(try chain.segments == 50)

            try chain.anchor(at: 99 * day)
            try chain.append(at: 100 * day)
            #expect(try chain.verdict().isIntact)
            // The first 35 receipts are older than 64 days; the 35th shares its file with one that is not.
            #expect(try chain.verdict().first == 35)

            // The device's clock is set forward. The server's clock is not.
            try chain.append(at: 100_000 * day)
            #expect(try chain.verdict().first == 35)

            // The newest file stays, however old its receipts are.
            try chain.anchor(at: 200_000 * day)
            try chain.store.removeExpired()
            #expect(try chain.verdict().isIntact)
            #expect(try chain.verdict().first == 102)
            #expect(try chain.segments == 1)
        }
    }

    @Test func `a device deletes receipts after 400 days, at the next hand-over or start`() async throws {
        try await Scratch.with { scratch in
            let shelf = Shelf(scratch)
            func numbers() throws -> [Int] { try shelf.file().receipts.map(\.receipt.place.sequence) }
            let signer = try ReceiptKey.make(
                in: KeyStore(directory: Directory(path: scratch.path("server")), platform: nil))
            func countersign(daysLater days: Int) throws {
                let anchor = Anchor(
                    tenant: "t", device: "d", key: "k", sequence: 1, hash: "h", at: HandClock.began + days * 86_400,
                    authority: "a")
                try ReceiptStore(directory: Directory(path: shelf.folder)).add(
                    anchor: try anchor.signed(with: signer.signing))
            }
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                for _ in 0..<3 {
                    try await fixture.playSession(through: agent)
                    fixture.clock.setWall(by: 200 * 86_400)
                }
                try countersign(daysLater: 401)
                #expect(try numbers() == [1, 2, 3])
                try await fixture.playSession(through: agent)
                #expect(try numbers() == [2, 3, 4])
            }
            try countersign(daysLater: 601)
            try await SupervisorFixture.with(scratch) { fixture in
                let session = try await fixture.status().session
                #expect(session == "ready")
            }
            #expect(try numbers() == [3, 4])
            #expect(try shelf.verdict().isIntact)
        }
    }

    @Test func `without a period, only the number of files limits the receipts`() async throws {
        try await Scratch.with { scratch in
            let chain = try StoredChain(scratch)
            try chain.append(at: 1)
            try chain.anchor(at: 1 << 40)
            try chain.append(at: 1 << 40)
            #expect(try chain.verdict().first == 1)
            #expect(try chain.segments == 1)
        }
    }

    @Test func `a file whose last receipt is damaged is not deleted when its period is over`() async throws {
        try await Scratch.with { scratch in
            // Each file holds two receipts.
            let chain = try StoredChain(scratch, period: .seconds(64))
            for number in 1...6 { try chain.append(at: number) }
            let oldest = try #require(chain.folder.names().filter { $0.hasPrefix("chain-") }.min())
            let file = URL(filePath: chain.folder.path + "/" + oldest)
            let first = try #require(textOfFile(file.path).split(separator: "\n").first)
            try Data("\(first)\ndamaged\n".utf8).write(to: file)
            try chain.anchor(at: 1000)
            try chain.store.removeExpired()
            #expect(try chain.segments == 3)
        }
    }

    @Test func `a damaged countersignature stays in its file when the next one is added`() async throws {
        try await Scratch.with { scratch in
            let folder = Directory(path: scratch.path("receipts"))
            try folder.make()
            let store = ReceiptStore(directory: folder)
            let key = try ReceiptKey.make(in: KeyStore(directory: Directory(path: scratch.path("keys")), platform: nil))
            func add(_ sequence: Int) throws {
                let anchor = Anchor(
                    tenant: "t", device: "d", key: "k", sequence: sequence, hash: "h", at: 1, authority: "a")
                try store.add(anchor: try anchor.signed(with: key.signing))
            }
            try add(1)
            let file = URL(filePath: folder.path + "/anchors.jsonl")
            try Data("damaged\n".utf8).write(to: file)
            try add(2)
            #expect(try textOfFile(file.path).hasPrefix("damaged\n"))
            #expect(try store.anchor(of: "k")?.sequence == 2)
        }
    }

    /// Damage to a chain that must not be repaired silently.
    enum Damage: CaseIterable { case changed, shortened, removed, endRemoved, endUnreadable, keyReplaced }

    @Test(arguments: Damage.allCases)
    func `any other damaged chain is moved aside and reported`(damage: Damage) async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                for _ in 0..<2 { try await fixture.playSession(through: agent) }
            }
            let shelf = Shelf(scratch)
            let before = try Data(contentsOf: try shelf.segment)
            try shelf.suffer(damage)
            try await SupervisorFixture.with(scratch) { fixture in
                try await fixture.playSession(through: fixture.agent(of: 1000))
            }
            let folder = try #require(try shelf.damaged.first)
            #expect(try shelf.damaged.count == 1)
            // The device reports the damage as long as the chain that was moved aside exists.
            try await SupervisorFixture.with(scratch) { fixture in
                let status = try await fixture.status()
                #expect(status.receiptsDamagedAt == 1_795_244_100)
            }
            let kept = try FileManager.default.contentsOfDirectory(atPath: shelf.folder + "/" + folder)
            #expect(!kept.isEmpty)
            let receipt = try #require(try shelf.file().receipts.first?.receipt)
            #expect(try shelf.file().receipts.count == 1)
            #expect(receipt.place.followsDamage)
            #expect(try shelf.verdict().damageBefore == [receipt.place.sequence])
            let isLost = [.endRemoved, .endUnreadable, .keyReplaced].contains(damage)
            // If the length of the chain is unknown, a new key begins a new chain.
            #expect(receipt.place.sequence == (isLost ? 1 : 3))
            if damage == .endRemoved || damage == .endUnreadable {
                let segment = try #require(kept.first { $0.hasPrefix("chain-") })
                #expect(try Data(contentsOf: URL(filePath: "\(shelf.folder)/\(folder)/\(segment)")) == before)
            }
        }
    }
}

extension SupervisorFixture {
    /// A worker signs in and is signed out.
    func playSession(through agent: FakeAgent, while here: () async throws -> Void = {}) async throws {
        let number = UInt64(checkIns) + 1
        let epoch = try await signIn(through: agent, sessionProcess: number)
        try await here()
        order(.signOut(fromBrowser: false))
        guard case .close = try await agent.order() else { throw TestProblem("no close") }
        agent.say(.closed(epoch: epoch))
        #expect(try await status().session == "ready")
    }

    /// Finishes the sign-out that was committed before.
    func finish(through agent: FakeAgent) async throws {
        guard case .close(let epoch) = try await agent.order() else { throw TestProblem("no close") }
        agent.say(.closed(epoch: epoch))
        #expect(try await status().session == "ready")
    }

    /// The number of sessions that this device has had. Each sign-out starts the next session process.
    private var checkIns: Int { device.stages.withLock { $0.filter { $0 == .held }.count } }
}

/// A chain of receipts that a test appends to, without a supervisor.
private final class StoredChain {
    let folder: Directory
    let store: ReceiptStore
    private let key: ReceiptKey
    private var count = 0

    init(
        _ scratch: Scratch, segmentBytes: Int = 256 << 10, maximumSegments: Int = 64, period: Duration? = nil
    ) throws {
        folder = Directory(path: scratch.path("receipts"))
        try folder.make()
        store = ReceiptStore(
            directory: folder, segmentBytes: segmentBytes, maximumSegments: maximumSegments, period: period)
        key = try ReceiptKey.make(in: KeyStore(directory: Directory(path: scratch.path("keys")), platform: nil))
    }

    /// Appends a receipt of a hand-over that finished at this time by the device's clock.
    func append(at time: Int) throws {
        let end = try store.end()
        count += 1
        let receipt = Receipt(
            place: .init(sequence: count, previous: end?.hash), tenant: "t", device: "d",
            key: key.published.thumbprint, ended: "\(count)", next: "\(count + 1)", trigger: nil, isAttempt: false,
            times: .init(began: nil, committed: nil, finished: time), items: [], accessTokensEndBy: .none,
            subject: .none)
        try store.append(try receipt.signed(with: key.signing), receipt, after: end)
    }

    /// Stores a countersignature that the server made at this time by its clock.
    func anchor(at time: Int) throws {
        let anchor = Anchor(
            tenant: "t", device: "d", key: key.published.thumbprint, sequence: count,
            hash: try store.end()?.hash ?? "", at: time, authority: "a")
        try store.add(anchor: try anchor.signed(with: key.signing))
    }

    func verdict() throws -> ChainVerdict {
        ChainVerifier(.key(key.published)).verdict(on: ReceiptFile(bytes: try store.export()))
    }

    var segments: Int { get throws { try folder.names().filter { $0.hasPrefix("chain-") }.count } }
}

/// The folder of a device's receipts.
struct Shelf {
    let folder: String
    let keys: String

    init(_ scratch: Scratch) {
        folder = scratch.path("device/receipts")
        keys = scratch.path("device/keys")
    }

    func file() throws -> ReceiptFile {
        ReceiptFile(bytes: try ReceiptStore(directory: Directory(path: folder)).export())
    }

    func verdict() throws -> ChainVerdict {
        let key = try #require(try ReceiptKey(in: KeyStore(directory: Directory(path: keys), platform: nil)))
        return ChainVerifier(.key(key.published)).verdict(on: try file())
    }

    var segment: URL {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            return URL(filePath: folder + "/" + (try #require(names.first { $0.hasPrefix("chain-") })))
        }
    }

    var damaged: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("damaged-") } }
    }

    func suffer(_ damage: ReceiptTests.Damage) throws {
        let end = URL(filePath: folder + "/end.json")
        var content = try Data(contentsOf: try segment)
        switch damage {
        case .changed:
            content[content.count - 200] ^= 1
            try content.write(to: try segment)
        case .shortened: try content.dropLast().write(to: try segment)
        case .removed: try FileManager.default.removeItem(at: try segment)
        case .endRemoved: try FileManager.default.removeItem(at: end)
        case .endUnreadable: try Data("{".utf8).write(to: end)
        case .keyReplaced: _ = try ReceiptKey.make(in: KeyStore(directory: Directory(path: keys), platform: nil))
        }
    }
}
