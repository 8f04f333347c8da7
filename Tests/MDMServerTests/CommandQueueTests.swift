// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import DeviceHTTPS
import DeviceSettings
import Files
import Foundation
import HTTPTypes
import MDMProtocol
import MDMServer
import Storage
import StorageTestSupport
import Synchronization
import Testing

@Suite struct CommandQueueTests {
    @Test func `commands are delivered in order, one at a time, and repeated until a final answer`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let queued: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            for _ in 0..<3 {
                let next = try await device.report(.idle)
                #expect(next?.uuid == queued[0].uuid)
                #expect(next?.command == .profileList(managedOnly: false))
            }
            let second = try await device.report(.acknowledged, queued[0].uuid, answer: .profiles([]))
            #expect(second?.uuid == queued[1].uuid)
            #expect(try await device.report(.error, queued[1].uuid) == nil)
            #expect(try await device.report(.idle) == nil)
            #expect(try await fixture.commands("tablet-1").map(\.state) == ["error", "acknowledged"])
        }
    }

    /// If the answer to a result is lost, the device sends the result again. The repeated result must not cause a
    /// command to be lost.
    @Test func `a repeated result and an unknown one change nothing`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let first: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            let second: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            let uuids = (first + second).map(\.uuid)
            _ = try await device.report(.idle)
            for _ in 0..<3 { #expect(try await device.report(.acknowledged, uuids[0])?.uuid == uuids[1]) }
            #expect(try await device.report(.error, "no-such-command")?.uuid == uuids[1])
            // A result for a command that was never delivered is ignored.
            #expect(try await device.report(.acknowledged, uuids[3])?.uuid == uuids[1])
            #expect(try await device.report(.acknowledged, uuids[1])?.uuid == uuids[2])
            #expect(
                try await fixture.commands("tablet-1").map(\.state) == [
                    "queued", "sent", "acknowledged", "acknowledged",
                ])
        }
    }

    @Test func `finished commands are deleted when their retention ends, and waiting ones are kept`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let queued: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            _ = try await device.report(.idle)
            _ = try await device.report(.acknowledged, queued[0].uuid, answer: .profiles([]))
            fixture.now.advance(days: 399)
            #expect(try await fixture.management.sweep() == 0)
            fixture.now.advance(days: 2)
            while try await fixture.management.sweep(step: 1) > 0 {}
            #expect(try await fixture.commands("tablet-1").map(\.uuid) == [queued[1].uuid])
        }
    }

    @Test func `NotNow ends the connection and keeps the command first in the queue`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let queued: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            _ = try await device.report(.idle)
            #expect(try await device.report(.notNow, queued[0].uuid) == nil)
            #expect(try await fixture.commands("tablet-1").map(\.state) == ["queued", "notNow"])
            #expect(try await device.report(.idle)?.uuid == queued[0].uuid)
            #expect(try await device.report(.acknowledged, queued[0].uuid)?.uuid == queued[1].uuid)
        }
    }

    @Test func `failures of single items are shown even if the command as a whole succeeded`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let configuration: MDMAdmin.Configuration = ["sharedDeviceMode": .boolean(true)]
            let queued: MDMAdmin.Command = try await fixture.call(
                .put, "/devices/tablet-1/apps/org.baton.authenticator/configuration", configuration)
            let item = SettingResult(
                item: "ApplicationConfiguration", identifier: "org.baton.authenticator", status: .error,
                errorChain: [ErrorItem(code: 3, domain: "org.baton.management", message: "not managed")])
            _ = try await device.report(.idle)
            _ = try await device.report(.acknowledged, queued.uuid, answer: .settings([item]))
            #expect(try await fixture.changes("tablet-1").first?.errors.map(\.code) == [3])
        }
    }

    @Test func `a device's inventory is requested once after it enrolls, and once after all queued changes`()
        async throws
    {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let lists: [Command] = [.profileList(managedOnly: false), .managedApplicationList(identifiers: nil)]
            // If the device cannot give a list, the server does not request it again.
            #expect(try await device.work(upTo: 10, failing: [lists[0]]) == lists)
            #expect(try await device.work(upTo: 10) == [])

            let profile: MDMAdmin.Profile = try await fixture.call(
                .post, "/profiles", MDMAdmin.NewProfile.sharedDevice(urls: ["https://login.baton.test"]))
            try await fixture.raw(.put, "/devices/tablet-1/profiles/\(profile.identifier)")
            try await fixture.raw(.delete, "/devices/tablet-1/profiles/org.baton.other")
            try await fixture.raw(
                .put, "/devices/tablet-1/apps/org.baton.authenticator/configuration", MDMAdmin.Configuration())
            let done = try await device.work(upTo: 10)
            #expect(done.count == 5 && Array(done.suffix(2)) == lists, "\(done)")
            #expect(try await device.work(upTo: 10) == [])

            // A failed change requests no list. A change of a profile requests only the list of profiles.
            try await fixture.raw(.delete, "/devices/tablet-1/profiles/\(profile.identifier)")
            #expect(
                try await device.work(upTo: 10, failing: [.removeProfile(identifier: profile.identifier)]).count == 1)
            try await fixture.raw(.delete, "/devices/tablet-1/profiles/\(profile.identifier)")
            #expect(
                try await device.work(upTo: 10) == [.removeProfile(identifier: profile.identifier), lists[0]])
            // If an administrator has requested the inventory, the server does not request it once more.
            try await fixture.raw(.delete, "/devices/tablet-1/profiles/\(profile.identifier)")
            try await fixture.raw(.post, "/devices/tablet-1/inventory")
            #expect(try await device.work(upTo: 10).count == 3)
            #expect(try await fixture.commands("tablet-1").allSatisfy { $0.finishedAt != nil })
        }
    }

    @Test(
        arguments: [
            ("UserRejected", nil, "the app's state is UserRejected; ask the person at the device, then push it again"),
            ("Rejected", nil, "the app's state is Rejected"),
            (
                "NeedsRedemption", nil,
                "the app's state is NeedsRedemption; it waits for a redemption code, which this server does not send"
            ),
            (nil, "AppAlreadyInstalled", "the device's reason is AppAlreadyInstalled"),
            ("Failed", "NotAnApp", "the app's state is Failed; the device's reason is NotAnApp"),
            ("Managed", nil, nil), ("Installing", nil, nil), ("PromptingForManagement", nil, nil),
        ] as [(String?, String?, String?)])
    func `an app that a device acknowledged but did not install is shown with the device's reason`(
        state: String?, rejection: String?, reason: String?
    ) async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            try await fixture.register("a package")
            let queued: MDMAdmin.Command = try await fixture.call(
                .put, "/devices/tablet-1/apps/org.baton.authenticator", MDMAdmin.PushedApp(configuration: nil))
            _ = try await device.report(.idle)
            let answer = CommandResult.Answer.installation(
                identifier: "org.baton.authenticator", state: state.map(AppState.init(name:)), rejection: rejection)
            _ = try await device.report(.acknowledged, queued.uuid, answer: answer)
            let shown = try #require(try await fixture.commands("tablet-1").first { $0.uuid == queued.uuid })
            #expect(shown.errors.map(\.message) == (reason.map { [$0] } ?? []))
            #expect(shown.errors.allSatisfy { $0.domain == "org.baton.mdm" && $0.code == 1 })
        }
    }

    @Test func `a user's channel gets no command of the device, and cannot answer one`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let queued: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            let user = UUID().uuidString
            #expect(try await device.report(.idle, user: user) == nil)
            #expect(try await device.report(.idle)?.uuid == queued[0].uuid)
            #expect(try await device.report(.acknowledged, queued[0].uuid, user: user) == nil)
            #expect(try await fixture.commands("tablet-1").map(\.state) == ["queued", "sent"])

            // A user's check-out does not remove the device. A user's token does not change the device's push token.
            for message in [
                CheckInMessage.checkOut(.init(udid: device.udid, topic: device.topic)),
                .tokenUpdate(.init(udid: device.udid, topic: device.topic, token: [2], pushMagic: "n")),
            ] {
                guard case .dictionary(var members) = message.propertyList else { continue }
                members["UserID"] = .string(user)
                let answer = try await fixture.send(
                    try PropertyList.dictionary(members).xml(), certificate: device.certificate, isCheckIn: true)
                #expect(answer.status == 410)
            }
            let seen: MDMAdmin.Device = try await fixture.call(.get, "/devices/tablet-1")
            #expect(seen.state == "enrolled")
            let magic: String? = try await fixture.management.database.read {
                try $0.row("SELECT pushMagic FROM device")?["pushMagic"]
            }
            #expect(magic == "m")
        }
    }

    @Test func `a message with the other kind's content type is refused, with the right one named`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let checkIn = CheckInMessage.checkOut(.init(udid: device.udid, topic: device.topic)).propertyList
            let idle = CommandResult(udid: device.udid, status: .idle).propertyList
            for (body, isCheckIn, hint) in [
                (checkIn, false, "Send it as application/x-apple-aspen-mdm-checkin."),
                (idle, true, "Send it as application/xml."),
            ] {
                let answer = try await fixture.send(
                    try body.xml(), certificate: device.certificate, isCheckIn: isCheckIn)
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(answer.status == 400 && text.contains(hint), "\(text)")
            }
        }
    }

    @Test func `no command can be queued for a device that is unknown, not enrolled, or too far behind`() async throws {
        try await TestMDM.with { fixture in
            #expect(try await fixture.refusal(.post, "/devices/nobody/inventory") == "mdm.device.missing")
            let device = try HandDevice(fixture, profile: try await fixture.enrollmentProfile(named: "tablet-1"))
            _ = try await device.authenticate()
            #expect(try await fixture.refusal(.post, "/devices/tablet-1/inventory") == "mdm.device.notEnrolled")
            _ = try await device.tokenUpdate()
            for _ in 0..<500 {
                let _: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            }
            #expect(try await fixture.refusal(.post, "/devices/tablet-1/inventory") == "mdm.queue.full")
        }
    }

    @Test func `a finished command is deleted: its payload at once, its outcome later`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            for _ in 0..<120 {
                let queued: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
                _ = try await device.report(.idle)
                for command in queued { _ = try await device.report(.acknowledged, command.uuid) }
            }
            let kept: [Int64?] = try await fixture.management.database.read { connection in
                let row = try connection.row("SELECT COUNT(*) AS count, SUM(LENGTH(body)) AS length FROM command")
                return [try row?["count"], try row?["length"]]
            }
            #expect(kept == [200, 0])
        }
    }

    /// Without the index, each Idle would read all past commands of the device.
    @Test func `waiting commands are found without reading finished ones`() async throws {
        try await TestMDM.with(on: .sqlite) { fixture in
            let plan: [String] = try await fixture.management.database.read { connection in
                try connection.rows(
                    """
                    EXPLAIN QUERY PLAN SELECT position, uuid, state, body FROM command
                    WHERE tenant = \("t") AND udid = \("u") AND finishedAt IS NULL ORDER BY position LIMIT 1
                    """
                ).map { try $0["detail"] }
            }
            #expect(plan.count == 1)
            #expect(plan.first?.contains("USING INDEX commandWaiting (tenant=? AND udid=?)") == true)
        }
    }

    @Test func `a package that may not be on the disk yet is not offered`() async throws {
        try await TestMDM.with { fixture in
            fixture.disk.isBroken.withLock { $0 = true }
            try Data(TestMDM.program("package")).write(to: URL(filePath: fixture.folder.path + "/upload"))
            let app = MDMAdmin.NewApp(
                path: fixture.folder.path + "/upload", bundleIdentifier: "org.baton.x", version: "1", title: "X")
            #expect(try await fixture.refusal(.post, "/apps", app) == "mdm.package.store")
            #expect(try await fixture.call(.get, "/apps", as: [MDMAdmin.App].self).isEmpty)
            fixture.disk.isBroken.withLock { $0 = false }
            fixture.disk.synced.withLock { $0 = [] }
            let _: MDMAdmin.App = try await fixture.call(.post, "/apps", app)
            #expect(fixture.disk.synced.withLock { $0 } == [fixture.folder.path + "/packages"])
        }
    }

    @Test func `a result that cannot be stored is not acknowledged`() async throws {
        let broken = Breakable()
        try await TestMDM.with(wrapping: { broken.wrap($0) }) { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let queued: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            _ = try await device.report(.idle)
            broken.isBroken.withLock { $0 = true }
            let result = CommandResult(udid: device.udid, status: .acknowledged, commandUUID: queued[0].uuid)
            let answer = try await fixture.send(try result.propertyList.xml(), certificate: device.certificate)
            #expect(answer.status == 500)
            broken.isBroken.withLock { $0 = false }
            #expect(try await device.report(.idle)?.uuid == queued[0].uuid)
        }
    }

    @Test(arguments: [StorageError.Code.busy, .unavailable, .unknownOutcome, .full])
    func `while the database cannot serve, a device is asked to try again later`(
        code: StorageError.Code
    ) async throws {
        let outage = Outage()
        try await TestMDM.with(wrapping: { outage.wrap($0) }) { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let queued: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            outage.begin(code)
            let idle = CommandResult(udid: device.udid, status: .idle)
            let answer = try await fixture.send(try idle.propertyList.xml(), certificate: device.certificate)
            #expect(answer.status == 503 && answer.header("retry-after") == "5")
            outage.end()
            #expect(try await device.report(.idle)?.uuid == queued[0].uuid)
        }
    }
}

/// A real database whose disk can fail. While the disk fails, a transaction runs and is rolled back at its end.
final class Breakable: Sendable {
    let isBroken = Mutex(false)

    func wrap(_ database: any Database) -> any Database { Wrapper(database: database, owner: self) }

    private struct Wrapper: DatabaseLayer {
        let database: any Database
        let owner: Breakable

        func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
            try await database.write { [owner] connection in
                let value = try body(connection)
                if owner.isBroken.withLock({ $0 }) { throw StorageError(.failed, "the disk is full") }
                return value
            }
        }
    }
}
