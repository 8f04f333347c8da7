// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceKeyStore
import DeviceSettings
import Files
import Foundation
import Receipts
import SessionIPC
import TestSupport
import Testing

/// A power cut at any moment of a session. Whatever unsynced writes are lost, the device recovers by itself: nothing of
/// the worker is left, and everything that was acknowledged is kept.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CrashTests {
    private static let secret = "sealed under a key that died"

    @Test func `no power cut leaves data of a worker or undoes what was acknowledged`() async throws {
        let images = try await Scratch.with { scratch in
            let device = scratch.path("device")
            // A device that has been ready before.
            try await SupervisorFixture.with(scratch) { _ = try await $0.status() }
            return try await Self.images(below: device) { try await Self.session(scratch) }
        }
        #expect(images.count > 50)
        for image in images {
            try await Scratch.with { scratch in
                try image.disk.write(below: scratch.path("device"))
                try await Self.recover(scratch, after: image.acknowledged)
            }
        }
    }

    @Test func `a file that is replaced without a sync is lost in some image, so the model can find the error`()
        async throws
    {
        let images = try await Scratch.with { scratch in
            let folder = Directory(path: scratch.path("folder"))
            try folder.make()
            try folder.file("state").replace(with: Array("old".utf8))
            return try await Self.images(below: folder.path) {
                try scratch.write("new", to: "folder/draft")
                guard unsafe rename(scratch.path("folder/draft"), scratch.path("folder/state")) == 0 else {
                    throw TestProblem("rename: error \(errno)")
                }
                FileChange.acknowledge("new")
            }
        }
        let contents = try await Self.contents(of: "state", in: images)
        #expect(contents[["new"]]?.contains("") == true)
        #expect(contents[["new"]]?.contains("old") == true)
    }

    @Test func `a file that is replaced atomically is old or new, and new once it is acknowledged`() async throws {
        let images = try await Scratch.with { scratch in
            let folder = Directory(path: scratch.path("folder"))
            try folder.make()
            try folder.file("state").replace(with: Array("old".utf8))
            return try await Self.images(below: folder.path) {
                try folder.file("state").replace(with: Array("new".utf8))
                FileChange.acknowledge("new")
            }
        }
        let contents = try await Self.contents(of: "state", in: images)
        #expect(contents == [[]: ["old", "new"], ["new"]: ["new"]])
    }

    @Test func `a browser's temporary folder is recorded on every disk that a power cut may leave`() async throws {
        let epoch = try #require(Epoch.ID(String(repeating: "0a", count: 16)))
        let images = try await Scratch.with { scratch in
            let profiles = Directory(path: scratch.path("profiles"))
            try profiles.make()
            let temporary = TemporaryFolder(of: epoch, in: profiles)
            let images = try await Self.images(below: profiles.path) {
                FileChange.acknowledge(try temporary.make().path)
            }
            try temporary.remove()
            return images
        }
        let made = images.filter { !$0.acknowledged.isEmpty }
        #expect(!made.isEmpty)
        for image in made {
            try await Scratch.with { scratch in
                try image.disk.write(below: scratch.path("image"))
                let left = TemporaryFolder(of: epoch, in: Directory(path: scratch.path("image")))
                #expect(try left.recorded()?.path == image.acknowledged[0])
            }
        }
    }

    private static func images(
        below root: String, _ body: () async throws -> Void
    ) async throws -> Set<CrashImages.Image> {
        var numbers: [UInt64: Int] = [:]
        let disk = try Disk(reading: root, numbers: &numbers)
        let (changes, _) = try await FileChange.recording(below: root, body)
        return try CrashImages(changes, after: (disk, numbers)).images
    }

    private static func contents(
        of name: String, in images: Set<CrashImages.Image>
    ) async throws -> [[String]: Set<String>] {
        var contents: [[String]: Set<String>] = [:]
        for image in images {
            try await Scratch.with { scratch in
                try image.disk.write(below: scratch.path("image"))
                let text = try String(contentsOfFile: scratch.path("image/" + name), encoding: .utf8)
                contents[image.acknowledged, default: []].insert(text)
            }
        }
        return contents
    }
}

extension CrashTests {
    /// A worker signs in, an app receives her account, a file is sealed for her, and she signs out.
    private static func session(_ scratch: Scratch) async throws {
        try await SupervisorFixture.with(scratch) { fixture in
            let agent = try fixture.agent(of: 1000)
            fixture.sessionProcessSends(.signInRequested(requestID: 1))
            fixture.sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"))
            guard case .open(_, let epoch, _, _) = try await agent.order() else { throw TestProblem("no browser") }
            let files = DeviceFiles(root: Directory(path: scratch.path("device")))
            guard case .signingIn(let session) = try files.journal() else { throw TestProblem("nobody signs in") }
            fixture.sessionProcessSends(.sessionKnown(EndedSession(serverSession: "s1", epoch: session)))
            #expect(try await fixture.status().session == "signingIn")
            FileChange.acknowledge(Said.sessionOpened)
            fixture.sessionProcessSends(.signInSucceeded)
            #expect(try await fixture.status().session == "signedIn")
            FileChange.acknowledge(Said.signedIn)
            try files.session.file("tokens").replace(with: Array(secret.utf8))
            fixture.order(.signOut(fromBrowser: false))
            #expect(try await fixture.status().session == "signingOut")
            FileChange.acknowledge(Said.committed)
            agent.say(.closed(epoch: epoch))
            #expect(try await fixture.status().session == "ready")
            FileChange.acknowledge(Said.signedOut)
        }
    }

    enum Said {
        static let sessionOpened = "the server opened a session"
        static let signedIn = "the worker holds the device"
        static let committed = "the end is committed"
        static let signedOut = "the device is ready"
    }

    /// Starts the device on the disk that the power cut left.
    static func recover(_ scratch: Scratch, after acknowledged: [String]) async throws {
        try await SupervisorFixture.with(scratch) { fixture in
            let agent = try fixture.agent(of: 1000)
            while case .close(let epoch) = try await Self.order(agent, fixture) { agent.say(.closed(epoch: epoch)) }
            let status = try await fixture.status()
            #expect(status.session == "ready")
            #expect(status.mode == "shared")

            let files = DeviceFiles(root: Directory(path: scratch.path("device")))
            #expect(try files.session.names().isEmpty)
            guard case .ready(let epoch) = try files.journal() else { throw TestProblem("not ready on the disk") }
            // The device was in epoch 1 before. A published epoch, and any epoch before it, must not be used again.
            if acknowledged.contains(Said.signedIn) { #expect(epoch.counter > 2) }
            let isTold = try files.endedSessions().contains { $0.serverSession == "s1" }
            if acknowledged.contains(Said.sessionOpened) { #expect(isTold, "the server would never hear of the end") }
            #expect(try files.liveSession() == nil)
            try Self.expectReceipts(files, signedOut: acknowledged.contains(Said.signedOut))
        }
    }

    /// The chain is complete, was not treated as damaged, and has a line for a reported sign-out.
    private static func expectReceipts(_ files: DeviceFiles, signedOut: Bool) throws {
        let book = ReceiptStore(directory: files.receipts)
        #expect(try book.damageFound() == nil, "a write that was cut off was taken for damage")
        let end = try book.end()
        if signedOut { #expect(try #require(end).sequence > 0) }
        guard let end, end.sequence > 0, let key = try ReceiptKey(in: files.keyStore) else { return }
        let verdict = ChainVerifier(.key(key.published)).verdict(on: ReceiptFile(bytes: try book.export()))
        #expect(verdict.isIntact)
        #expect(verdict.last == end.sequence)
    }

    /// The next order for the agent; nil if the device becomes ready without an order.
    private static func order(_ agent: FakeAgent, _ fixture: SupervisorFixture) async throws -> AgentOrder? {
        try await fixture.status().session == "ready" ? nil : try await agent.order()
    }
}
