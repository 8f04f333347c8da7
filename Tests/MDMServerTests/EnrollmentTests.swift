// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import DeviceHTTPS
import DeviceSettings
import Foundation
import HTTPTypes
import MDMProtocol
import MDMServer
import Storage
import Synchronization
import TestSupport
import Testing

@Suite struct EnrollmentTests {
    @Test func `a device counts as enrolled only after its TokenUpdate`() async throws {
        try await TestMDM.with { fixture in
            let device = try HandDevice(fixture, profile: try await fixture.enrollmentProfile(named: "tablet-1"))
            #expect(try await device.authenticate() == 200)
            #expect(try await state(of: "tablet-1", in: fixture) == "authenticated")
            #expect(try await device.tokenUpdate() == 200)
            #expect(try await state(of: "tablet-1", in: fixture) == "enrolled")
            #expect(try await device.checkIn(.checkOut(.init(udid: device.udid, topic: device.topic))) == 200)
            #expect(try await state(of: device.udid, in: fixture) == "left")
        }
    }

    @Test func `without a certificate no request is served`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let idle = try CommandResult(udid: device.udid, status: .idle).propertyList.xml()
            let answer = try await fixture.send(idle, certificate: nil)
            // A proxy may have removed the certificate. If the answer had status 401, or contained the code for an
            // unrecognised device, every device behind the proxy would unenroll.
            #expect(answer.status == 403)
            #expect(Refusal.code(in: answer.body) == nil)
        }
    }

    @Test func `a device with an unknown, expired or ended certificate is told to leave`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.settled(fixture, named: "tablet-1")
            let idle = try CommandResult(udid: device.udid, status: .idle).propertyList.xml()
            try await expectUnrecognized(fixture.send(idle, certificate: [1, 2, 3]))
            let unbound = try HandDevice(
                fixture, udid: device.udid, profile: try await fixture.enrollmentProfile(named: "tablet-2"))
            try await expectUnrecognized(fixture.send(idle, certificate: unbound.certificate))
            let path = "/mdm/00000000-0000-0000-0000-000000000001"
            try await expectUnrecognized(fixture.send(idle, certificate: device.certificate, path: path))
            let before = fixture.now.value.withLock { now in
                defer { now += 398 * 86_400_000 }
                return now
            }
            try await expectUnrecognized(fixture.send(idle, certificate: device.certificate))
            fixture.now.value.withLock { $0 = before }
            #expect(try await device.report(.idle) == nil)
            try await fixture.raw(.delete, "/devices/tablet-1")
            try await expectUnrecognized(fixture.send(idle, certificate: device.certificate))
            #expect(try await device.authenticate() == 403)
        }
    }

    @Test func `one device cannot act for another, and is not told to leave for trying`() async throws {
        try await TestMDM.with { fixture in
            let mine = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let other = try await HandDevice.enrolled(fixture, named: "tablet-2")
            let idle = try CommandResult(udid: other.udid, status: .idle).propertyList.xml()
            let answer = try await fixture.send(idle, certificate: mine.certificate)
            #expect(answer.status == 403)
            #expect(Refusal.code(in: answer.body) == nil)
            #expect(try await mine.authenticate(as: other.udid) == 403)
            #expect(try await mine.checkIn(.checkOut(.init(udid: other.udid, topic: mine.topic))) == 403)
            #expect(try await state(of: "tablet-2", in: fixture) == "enrolled")
        }
    }

    @Test func `an enrollment profile works for one device, once`() async throws {
        try await TestMDM.with { fixture in
            let profile = try await fixture.enrollmentProfile(named: "tablet-1")
            let first = try HandDevice(fixture, profile: profile)
            let second = try HandDevice(fixture, profile: profile)
            #expect(try await first.authenticate() == 200)
            #expect(try await second.authenticate() == 403)
            #expect(try await first.tokenUpdate() == 200)
        }
    }

    @Test func `a device that sends Authenticate again has nothing, and only undelivered commands remain`()
        async throws
    {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let queued: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            _ = try await device.report(.idle)
            let held = InstalledProfile(identifier: "p", uuid: "u", isManaged: true)
            _ = try await device.report(.acknowledged, queued[0].uuid, answer: .profiles([held]))
            #expect(try await fixture.call(.get, "/devices/tablet-1", as: MDMAdmin.Device.self).profiles.count == 1)
            let later: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            #expect(try await device.authenticate() == 200)
            let blank: MDMAdmin.Device = try await fixture.call(.get, "/devices/tablet-1")
            #expect(blank.state == "authenticated")
            #expect(blank.profiles.isEmpty)
            #expect(try await device.report(.idle) == nil)
            #expect(try await device.tokenUpdate() == 200)
            #expect(try await device.report(.idle)?.uuid == later[0].uuid)
            #expect(
                try await fixture.commands("tablet-1").map(\.state) == ["queued", "sent", "dropped", "acknowledged"])
        }
    }

    @Test func `an unused profile replaces no enrolled device, unless made for it or the device was removed`()
        async throws
    {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let queued: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
            let lost = try HandDevice(
                fixture, udid: device.udid, profile: try await fixture.enrollmentProfile(named: "x"))
            _ = try await HandDevice.enrolled(fixture, named: "tablet-2")
            let elsewhere = try await fixture.enrollmentProfile(named: "x", takesOver: "tablet-2")
            let wrong = try HandDevice(fixture, udid: device.udid, profile: elsewhere)
            for thief in [lost, wrong] {
                let message = CheckInMessage.authenticate(.init(udid: device.udid, topic: device.topic))
                let answer = try await fixture.send(
                    try message.propertyList.xml(), certificate: thief.certificate, isCheckIn: true)
                #expect(answer.status == 403)
                #expect(Refusal.code(in: answer.body) == nil)
            }
            #expect(try await device.report(.idle)?.uuid == queued[0].uuid)
            let made = try await fixture.enrollmentProfile(named: "tablet-1b", takesOver: device.udid)
            let again = try HandDevice(fixture, udid: device.udid, profile: made)
            #expect(try await again.authenticate() == 200)
            #expect(try await again.tokenUpdate() == 200)
            #expect(try await again.report(.idle)?.command == .profileList(managedOnly: false))
            let idle = try CommandResult(udid: device.udid, status: .idle).propertyList.xml()
            try await expectUnrecognized(fixture.send(idle, certificate: device.certificate))
            try await fixture.raw(.delete, "/devices/tablet-1b")
            #expect(try await lost.authenticate() == 200)
        }
    }

    @Test func `an unused profile cannot take over a device that another profile is enrolling`() async throws {
        try await TestMDM.with { fixture in
            let device = try HandDevice(fixture, profile: try await fixture.enrollmentProfile(named: "tablet-1"))
            let thief = try HandDevice(
                fixture, udid: device.udid, profile: try await fixture.enrollmentProfile(named: "x"))
            #expect(try await device.authenticate() == 200)
            #expect(try await thief.authenticate() == 403)
            #expect(try await device.authenticate() == 200)
            #expect(try await device.tokenUpdate() == 200)
            #expect(try await thief.tokenUpdate() == 403)
            #expect(try await state(of: "tablet-1", in: fixture) == "enrolled")
            // Another device can still enroll with a profile of its own.
            let other = try HandDevice(fixture, profile: try await fixture.enrollmentProfile(named: "tablet-2"))
            #expect(try await other.authenticate() == 200)
            // A device that lost its profile before its TokenUpdate can enroll with a profile that was made to take
            // over this device.
            let again = try HandDevice(
                fixture, udid: other.udid,
                profile: try await fixture.enrollmentProfile(named: "tablet-2b", takesOver: other.udid))
            #expect(try await again.authenticate() == 200)
            #expect(try await again.tokenUpdate() == 200)
            #expect(try await other.tokenUpdate() == 403)
        }
    }

    @Test func `an unused profile is listed, expires after a week, and can be revoked`() async throws {
        try await TestMDM.with { fixture in
            let old = try HandDevice(fixture, profile: try await fixture.enrollmentProfile(named: "old"))
            fixture.now.advance(days: 8)
            try await expectUnrecognized(
                fixture.send(
                    CheckInMessage.authenticate(.init(udid: old.udid, topic: old.topic)).propertyList.xml(),
                    certificate: old.certificate, isCheckIn: true))
            let device = try await HandDevice.settled(fixture, named: "tablet-1")
            let unused = try HandDevice(fixture, profile: try await fixture.enrollmentProfile(named: "unused"))
            let listed: [MDMAdmin.Enrollment] = try await fixture.call(.get, "/enrollments")
            #expect(Set(listed.map { "\($0.name) \($0.state)" }) == ["tablet-1 bound", "unused issued"])
            for enrollment in listed {
                let status = try await fixture.raw(.delete, "/enrollments/\(enrollment.id)").status
                #expect(status == (enrollment.state == "issued" ? .noContent : .notFound))
            }
            #expect(try await unused.authenticate() == 403)
            #expect(try await device.report(.idle) == nil)
        }
    }

    @Test func `a repeated CheckOut is accepted again, and ends nothing else`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let checkOut = CheckInMessage.checkOut(.init(udid: device.udid, topic: device.topic))
            #expect(try await device.checkIn(checkOut) == 200)
            #expect(try await device.checkIn(checkOut) == 200)
            let again = try HandDevice(
                fixture, udid: device.udid, profile: try await fixture.enrollmentProfile(named: "tablet-1b"))
            #expect(try await again.authenticate() == 200)
            #expect(try await again.tokenUpdate() == 200)
            #expect(try await device.checkIn(checkOut) == 200)
            #expect(try await again.report(.idle) != nil)
            #expect(try await state(of: "tablet-1b", in: fixture) == "enrolled")
        }
    }

    @Test func `a token without an unlock token does not erase the existing one`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let with = CheckInMessage.TokenUpdate(
                udid: device.udid, topic: device.topic, token: [1], pushMagic: "m", unlockToken: [7, 7])
            #expect(try await device.checkIn(.tokenUpdate(with)) == 200)
            #expect(try await device.tokenUpdate() == 200)
            let kept: [UInt8]? = try await fixture.management.database.read { connection in
                try connection.row("SELECT sealedUnlockToken FROM device WHERE udid = \(device.udid)")?[
                    "sealedUnlockToken"]
            }
            let purpose = "unlock token \(TestMDM.tenant) \(device.udid)"
            #expect(try TestMDM.sealer().open(try #require(kept), purpose) == [7, 7])
        }
    }

    @Test(arguments: [
        ("", false), ("bplist00", false), ("<plist><string>x</string></plist>", false),
        ("<plist><dict/></plist>", false),
        ("<plist><dict><key>Status</key><string>Idle</string></dict></plist>", false),
        ("<plist><dict><key>Status</key><string>Busy</string><key>UDID</key><string>U</string></dict></plist>", false),
        ("<plist><dict><key>Status</key><string>Error</string><key>UDID</key><string>U</string></dict></plist>", false),
        ("<plist><dict><key>Status</key><true/><key>UDID</key><string>U</string></dict></plist>", false),
        ("{}", true), ("<plist><dict/></plist>", true),
        ("<plist><dict><key>MessageType</key><string>Dance</string></dict></plist>", true),
        (
            "<plist><dict><key>MessageType</key><string>TokenUpdate</string><key>UDID</key><string>U</string></dict></plist>",
            true
        ),
    ])
    func `malformed messages are answered with 400 and change nothing`(body: String, isCheckIn: Bool) async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let text = body.replacing("<string>U</string>", with: "<string>\(device.udid)</string>")
            let answer = try await fixture.send(Array(text.utf8), certificate: device.certificate, isCheckIn: isCheckIn)
            #expect(answer.status == 400)
            #expect(try await state(of: "tablet-1", in: fixture) == "enrolled")
        }
    }

    @Test func `other methods, user channels and large bodies get specific answers`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            let posted = try await fixture.send([], certificate: device.certificate, method: .post)
            #expect(posted.status == 405)
            let user = PropertyList.dictionary(["MessageType": "UserAuthenticate", "UDID": .string(device.udid)])
            let answer = try await fixture.send(try user.xml(), certificate: device.certificate, isCheckIn: true)
            #expect(answer.status == 410)
            let large = try await fixture.send(
                [UInt8](repeating: 0x20, count: 2 << 20), certificate: device.certificate)
            #expect(large.status == 413)
        }
    }

    @Test func `manifests and packages are only for enrolled devices`() async throws {
        try await TestMDM.with { fixture in
            try await fixture.register("the broker")
            let path = "/mdm/\(TestMDM.tenant)/manifests/org.baton.authenticator/1.0"
            let unbound = try HandDevice(fixture, profile: try await fixture.enrollmentProfile(named: "tablet-2"))
            #expect(try await fixture.send([], certificate: nil, method: .get, path: path).status == 403)
            #expect(
                try await fixture.send([], certificate: unbound.certificate, method: .get, path: path).status == 403)
            let device = try await HandDevice.enrolled(fixture, named: "tablet-1")
            #expect(try await fixture.send([], certificate: device.certificate, method: .get, path: path).status == 200)
            let outside = "/mdm/\(TestMDM.tenant)/packages/..%2Fmdm.sqlite"
            #expect(
                try await fixture.send([], certificate: device.certificate, method: .get, path: outside).status == 404)
        }
    }

    private func state(of device: String, in fixture: TestMDM) async throws -> String {
        try await fixture.call(.get, "/devices/\(device)", as: MDMAdmin.Device.self).state
    }

    private func expectUnrecognized(_ answer: HTTPSClient.Response) {
        #expect(answer.status == 403)
        #expect(Refusal.code(in: answer.body) == Refusal.unrecognizedDevice)
    }
}
