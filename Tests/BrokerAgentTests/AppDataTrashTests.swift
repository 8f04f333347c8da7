// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Files
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

@testable import BrokerAgent

/// How the agent takes the folders of apps away, tested with real files and real processes.
@Suite(.timeLimit(.minutes(2))) struct AppDataTrashTests {
    /// A folder of an app, and the agent's trash beside it.
    private struct Place {
        let scratch: Scratch
        let trash: AppDataTrash
        /// How many folders were left after each removal.
        let left: AsyncStream<Int>
        let epoch: Epoch.ID = .random()
        var data: String { scratch.path("app/data") }
        var trashFolder: Directory { Directory(path: scratch.path("trash")) }

        init(scratch: Scratch) {
            self.scratch = scratch
            let (left, removed) = AsyncStream.makeStream(of: Int.self)
            self.left = left
            trash = AppDataTrash(
                folder: Directory(path: scratch.path("trash")), pause: .milliseconds(20), logger: LogLines.dropped
            ) { removed.yield($0) }
        }

        func write(_ text: String) throws {
            try Directory(path: data + "/notes").make()
            try Data(text.utf8).write(to: URL(filePath: data + "/notes/amara"))
        }

        func awaitTrash(_ names: [String]) async throws {
            let folder = trashFolder
            try await FolderWatch(folder.path).until("what is left") { try folder.names() == names }
        }

        /// Whether the app's data is in its place.
        var isThere: Bool { FileManager.default.fileExists(atPath: data + "/notes") }
        /// What is in the app's folder.
        var names: [String] { get throws { try Directory(path: data).names() } }

        /// Tries to take the folder away; returns why this failed, or nil.
        func take(
            _ folder: String? = nil, _ processes: [ProcessTable.Name] = [], within time: Duration = .seconds(60)
        ) -> AppDataFailure.Code? {
            let app = AppData(app: "org.example.ward", folders: [folder ?? data], processes: processes)
            let failures = trash.take([app], of: epoch, until: BootClock.now() + time)
            #expect(failures.allSatisfy { $0.app == app.app } && failures.count <= 1)
            return failures.first?.code
        }
    }

    private func with(_ body: (Place) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let place = Place(scratch: scratch)
            try place.write("bed 4: water")
            try await body(place)
        }
    }

    @Test func `a folder with everything in it is away at once, and then removed`() async throws {
        try await with { place in
            #expect(unsafe chmod(place.data, 0o710) == 0)
            #expect(place.take() == nil)
            #expect(try place.names == [])
            var status = stat()
            #expect(unsafe lstat(place.data, &status) == 0 && status.st_mode & 0o7777 == 0o710)
            try await place.awaitTrash([])
        }
    }

    @Test func `an order that is repeated finds what the first one has taken`() async throws {
        try await with { place in
            #expect(place.take() == nil && place.take() == nil)
            #expect(!place.isThere)
        }
    }

    @Test func `if none of the folders is there, the broker is told`() async throws {
        try await with { place in
            #expect(place.take(place.scratch.path("none")) == .missing)
            #expect(place.isThere)
        }
    }

    @Test func `if one of two folders is not there, the broker is told, and the other one is away`() async throws {
        try await with { place in
            let app = AppData(
                app: "org.example.ward", folders: [place.data, place.scratch.path("none")], processes: [])
            for _ in 0..<2 {
                let failures = place.trash.take([app], of: place.epoch, until: BootClock.now() + .seconds(60))
                #expect(failures == [AppDataFailure(app: app.app, code: .missing)])
                #expect(!place.isThere)
            }
        }
    }

    @Test func `if one of two folders cannot be moved, the other one is away`() async throws {
        try await with { place in
            let link = place.scratch.path("link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.scratch.path("app"))
            let app = AppData(app: "org.example.ward", folders: [link, place.data], processes: [])
            let failures = place.trash.take([app], of: place.epoch, until: BootClock.now() + .seconds(60))
            #expect(failures == [AppDataFailure(app: app.app, code: .notAFolder)])
            #expect(!place.isThere)
        }
    }

    @Test func `what an agent that was killed had not removed is removed when the next one starts`() async throws {
        try await with { place in
            try place.trashFolder.appending("taken-1f").appending("notes").make()
            try place.trashFolder.appending("else").make()
            place.trash.empty()
            // The agent does not remove what it has not taken, even if an administrator has chosen as the trash a
            // folder that is in use.
            try await place.awaitTrash(["else"])
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount"))
    func `what cannot be removed is counted, and tried again until it is away`() async throws {
        try await with { place in
            #expect(place.take() == nil)
            var left = place.left.makeAsyncIterator()
            #expect(await left.next() == 0)
            // Not even root can remove a folder in which something is mounted.
            let path = place.trashFolder.appending("taken-1f").appending("notes").path
            try Directory(path: path).make()
            #expect(unsafe mount("none", path, "tmpfs", 0, nil) == 0)
            place.trash.empty()
            #expect(await left.next() == 1)
            #expect(await left.next() == 1)
            #expect(unsafe umount(path) == 0)
            while let count = await left.next(), count > 0 {}
            #expect(try place.trashFolder.names() == [])
        }
    }

    @Test func `a link is not followed, whether it is the folder or a folder above it`() async throws {
        try await with { place in
            for link in ["data-link", "app-link"] {
                try FileManager.default.createSymbolicLink(
                    atPath: place.scratch.path(link),
                    withDestinationPath: link == "data-link" ? place.data : place.scratch.path("app"))
            }
            #expect(place.take(place.scratch.path("data-link")) == .notAFolder)
            #expect(place.take(place.scratch.path("app-link/data")) == .notAFolder)
            #expect(place.take(place.data + "/notes/amara") == .notAFolder)
            #expect(place.isThere)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder to another user"))
    func `another user's folder stays`() async throws {
        try await with { place in
            #expect(unsafe chown(place.data, 1, 1) == 0)
            #expect(place.take() == .foreign)
            #expect(place.isThere)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "/dev is root's"))
    func `a folder with a mount stays, and one on another file system does`() async throws {
        try await with { place in
            #expect(place.take("/dev") == .mounted)
            let elsewhere = Directory(path: "/dev/shm/baton-test-\(UInt64.random(in: 0 ... .max))")
            try elsewhere.make()
            defer { _ = try? elsewhere.removeTree() }
            #expect(place.take(elsewhere.path) == .elsewhere)
            #expect(try elsewhere.names() == [])
        }
    }

    @Test func `nothing is moved when the next worker may have begun`() async throws {
        try await with { place in
            #expect(place.take(within: .zero) == .agentSilent)
            #expect(place.isThere)
        }
    }

    @Test func `the processes of the app end first, stopped ones too, with what they have started`() async throws {
        try await with { place in
            let app = try await RunningProgram.start(
                "/bin/sh", ["-c", "sleep 1000 & echo $! > \(place.data)/child; kill -STOP $$"], log: "app.log",
                awaitsReady: false, in: place.scratch)
            try await FolderWatch(place.data).until("a child") {
                try AtomicFile(path: place.data + "/child").read().map { $0.last == UInt8(ascii: "\n") } ?? false
            }
            let name = try #require(try ProcessTable.entry(app.pid)?.name)
            let number = try #require(try AtomicFile(path: place.data + "/child").read())
            let child = try #require(Int32(String(decoding: number.dropLast(), as: UTF8.self)))
            let childName = try #require(try ProcessTable.entry(child)?.name)
            #expect(place.take(nil, [name]) == nil)
            #expect(!place.isThere)
            #expect(try await app.waitForExit() != 0)
            let left = try ProcessTable.entry(child)
            #expect(left == nil || left?.name != childName || left?.isZombie == true)
        }
    }

    @Test func `fifty apps take little more time than one`() async throws {
        try await with { place in
            func time(_ count: Int) async throws -> Duration {
                var (apps, running): ([AppData], [RunningProgram]) = ([], [])
                for number in 0..<count {
                    let folder = Directory(path: place.scratch.path("apps/\(number)/data"))
                    try folder.make()
                    let program = try await RunningProgram.start(
                        "/bin/sleep", ["600"], log: "sleep.log", awaitsReady: false, in: place.scratch)
                    let name = try #require(try ProcessTable.entry(program.pid)?.name)
                    running.append(program)
                    apps.append(AppData(app: "org.example.a\(number)", folders: [folder.path], processes: [name]))
                }
                let (begin, epoch) = (ContinuousClock.now, Epoch.ID.random())
                #expect(place.trash.take(apps, of: epoch, until: BootClock.now() + .seconds(60)) == [])
                let time = ContinuousClock.now - begin
                for program in running { try await program.waitForExit() }
                return time
            }
            var (one, fifty): ([Duration], [Duration]) = ([], [])
            for _ in 0..<3 {
                one.append(try await time(1))
                fifty.append(try await time(50))
            }
            let ratio = try #require(fifty.min()) / #require(one.min())
            #expect(ratio < 30)
            print("data of fifty apps taken: \(ratio) times as long as that of one")
        }
    }

    @Test func `a process that has got the number of an ended one goes on`() async throws {
        try await with { place in
            let me = try #require(try ProcessTable.entry(getpid())?.name)
            #expect(place.take(nil, [ProcessTable.Name(pid: me.pid, startTime: me.startTime - 1)]) == nil)
        }
    }

    @Test func `each reason has a cause and a remedy`() {
        for code in AppDataFailure.Code.allCases {
            #expect(!code.cause.isEmpty && code.remedy.hasSuffix("."))
            #expect(code.rawValue.hasPrefix("data_"))
        }
    }
}
