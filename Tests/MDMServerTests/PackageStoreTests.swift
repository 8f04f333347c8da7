// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Crypto
import DeviceHTTPS
import Files
import Foundation
import HTTPTypes
import MDMProtocol
import MDMServer
import Storage
import StorageTestSupport
import Synchronization
import TestSupport
import Testing

/// App packages in a shared folder, and in the database.
@Suite struct PackageStoreTests {
    private func digest(_ content: String) -> String {
        SHA256.hash(data: Data(TestMDM.program(content))).map { String(format: "%02x", $0) }.joined()
    }

    private func download(_ content: String, _ device: HandDevice) async throws -> (status: Int, body: [UInt8]) {
        let path = "/mdm/\(TestMDM.tenant)/packages/\(digest(content))"
        let answer = try await device.fixture.send([], certificate: device.certificate, method: .get, path: path)
        return (answer.status, answer.body)
    }

    private func rows(_ table: String, _ fixture: TestMDM) async throws -> Int {
        try await fixture.management.database.read { connection in
            try connection.rows(table == "package" ? "SELECT id FROM package" : "SELECT number FROM packagePart").count
        }
    }

    @Test func `a starting node keeps copies that another node is making, and removes abandoned ones`() async throws {
        try await TestMDM.with { fixture in
            try await fixture.register("app")
            let (folder, files) = (fixture.folder.path + "/packages", FileManager.default)
            let now = Date(timeIntervalSince1970: Double(fixture.now.value.withLock { $0 }) / 1000)
            for (name, age) in [("running", 600.0), ("abandoned", 7200)] {
                let path = "\(folder)/\(name).new"
                try Data([1]).write(to: URL(filePath: path))
                try files.setAttributes([.modificationDate: now - age], ofItemAtPath: path)
            }
            _ = try await fixture.over(fixture.management.database)
            let names = Set(try files.contentsOfDirectory(atPath: folder))
            #expect(names == [digest("app"), "running.new"])
        }
    }

    @Test func `a device tries again later if the folder with the packages is not there`() async throws {
        try await TestMDM.with { fixture in
            try await fixture.register("app")
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let (folder, files) = (fixture.folder.path + "/packages", FileManager.default)
            try files.moveItem(atPath: folder, toPath: folder + ".away")
            #expect(try await download("app", device).status == 503)
            try files.moveItem(atPath: folder + ".away", toPath: folder)
            #expect(try await download("app", device).status == 200)
        }
    }

    @Test func `a package in the database is served by every node, whole and once`() async throws {
        try await TestMDM.with { fixture in
            let first = try await fixture.over(fixture.management.database, arePackagesInDatabase: true)
            let second = try await fixture.over(fixture.management.database, arePackagesInDatabase: true)
            let large = String(repeating: "0123456789abcdef", count: 160_000)
            try await first.register(large)
            try await second.register(large, bundleIdentifier: "org.baton.other")
            #expect(try await rows("package", first) == 1)
            #expect(try await rows("packagePart", first) == 3)
            #expect(!FileManager.default.fileExists(atPath: fixture.folder.path + "/packages"))
            let device = try await HandDevice.enrolled(second, named: "tablet-1")
            let answer = try await download(large, device)
            #expect(answer.status == 200 && answer.body == TestMDM.program(large))
            #expect(try await download("another", device).status == 404)
            try await first.management.database.write { try $0.execute("DELETE FROM package") }
            #expect(try await download(large, device).status == 503)
        }
    }

    @Test func `a file that is not a package leaves nothing in the database`() async throws {
        try await TestMDM.with { fixture in
            let node = try await fixture.over(fixture.management.database, arePackagesInDatabase: true)
            let path = fixture.folder.path + "/upload"
            try Data("#!/bin/sh".utf8).write(to: URL(filePath: path))
            let app = MDMAdmin.NewApp(path: path, bundleIdentifier: "org.baton.x", version: "1", title: "X")
            #expect(try await node.refusal(.post, "/apps", app) == "mdm.package.kind")
            #expect(try await rows("package", node) == 0)
        }
    }

    @Test func `a sweep removes unfinished copies and packages without an app, after an hour`() async throws {
        let interlude = InterleavedDatabase.Interlude()
        try await TestMDM.with(wrapping: { InterleavedDatabase($0, interlude) }) { fixture in
            let node = try await fixture.over(fixture.management.database, arePackagesInDatabase: true)
            let second = try await fixture.over(fixture.management.database, arePackagesInDatabase: true)
            // The other node sweeps while this node copies.
            interlude.set { interlude.set { try await second.management.sweepPackages() } }
            try await node.register("first")
            try await node.management.database.write { connection in
                let now = node.now.value.withLock { $0 }
                try connection.execute("INSERT INTO package (id, touchedAt) VALUES ('unfinished', \(now))")
                try connection.execute("INSERT INTO packagePart VALUES ('unfinished', 0, \([UInt8(1)]))")
            }
            // The same version with other bytes.
            try await node.register("second")
            try await second.management.sweepPackages()
            #expect(try await rows("package", node) == 3)
            fixture.now.advance(days: 1)
            try await second.management.sweepPackages()
            #expect(try await rows("package", node) == 1)
            #expect(try await rows("packagePart", node) == 1)
            let device = try await HandDevice.enrolled(node, named: "tablet-1")
            #expect(try await download("second", device).status == 200)
        }
    }

    /// The node was stopped in the middle of a copy, and continues after an hour.
    @Test func `an app is not offered if its package was swept meanwhile`() async throws {
        let interlude = InterleavedDatabase.Interlude()
        try await TestMDM.with(wrapping: { InterleavedDatabase($0, interlude) }) { fixture in
            let node = try await fixture.over(fixture.management.database, arePackagesInDatabase: true)
            let second = try await fixture.over(fixture.management.database, arePackagesInDatabase: true)
            let path = fixture.folder.path + "/upload"
            try Data(TestMDM.program("app")).write(to: URL(filePath: path))
            let app = MDMAdmin.NewApp(path: path, bundleIdentifier: "org.baton.x", version: "1", title: "X")
            let sweep: @Sendable () async throws -> Void = {
                second.now.advance(days: 1)
                try await second.management.sweepPackages()
            }
            // Before the first part, before the end of the copy, and before the app is offered.
            let moments: [@Sendable () async throws -> Void] = [
                { interlude.set(sweep) }, { interlude.set { interlude.set(sweep) } },
                { interlude.set { interlude.set { interlude.set(sweep) } } },
            ]
            for moment in moments {
                interlude.set(moment)
                #expect(try await node.refusal(.post, "/apps", app) == "mdm.package.store")
                #expect(try await rows("packagePart", node) == 0)
            }
            let apps: [MDMAdmin.App] = try await node.call(.get, "/apps")
            #expect(apps.isEmpty)
        }
    }

    @Test func `packages of a single node are copied from its folder to the database`() async throws {
        try await TestMDM.with { fixture in
            try await fixture.register("app")
            try await fixture.register("replaced", bundleIdentifier: "org.baton.other")
            try await fixture.register("replacement", bundleIdentifier: "org.baton.other")
            for _ in 0..<2 { _ = try await fixture.over(fixture.management.database, arePackagesInDatabase: true) }
            #expect(try await rows("package", fixture) == 2)
            try FileManager.default.removeItem(atPath: fixture.folder.path + "/packages")
            let node = try await fixture.over(fixture.management.database, arePackagesInDatabase: true)
            let device = try await HandDevice.enrolled(node, named: "tablet-1")
            let answer = try await download("app", device)
            #expect(answer.status == 200 && answer.body == TestMDM.program("app"))
        }
    }
}
