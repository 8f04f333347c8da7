// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import DeviceHTTPS
import DeviceSettings
import Files
import Foundation
import HTTPTypes
import MDMClient
import MDMProtocol
import MDMServer
import Processes
import Redaction
import SwiftASN1
import Synchronization
import TestSupport
import Testing
import X509

/// A device gets its next identity long before the current identity expires.
@Suite struct RenewalTests: AgentSteps {
    @Test func `a device that checks in from time to time stays managed`() async throws {
        try await TestMDM.with { fixture in
            let wire = RouterLink.Wire()
            try await withAgent(try agent(fixture, wire: wire)) { agent in
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                try await push(broker: fixture)
                try await agent.checkIn()
                let first = try await end(of: "tablet-1", fixture)
                fixture.now.advance(days: 200)
                #expect(try await agent.checkIn() == CheckInReport())
                for _ in 0..<3 {
                    fixture.now.advance(days: 100)
                    try await agent.checkIn()
                    try await agent.checkIn()
                }
                #expect(try await end(of: "tablet-1", fixture) > first)
            }
            #expect(Set(wire.certificates.withLock { $0 }).count > 1)
            #expect(try device(fixture).appending("identities").names().count == 1)
            try await withAgent(fixture) { agent, _ in
                try await agent.checkIn()
                #expect(agent.settings.brokerManaged)
            }
        }
    }

    @Test func `the old identity is valid until the device has used its new one, and no longer`()
        async throws
    {
        try await TestMDM.with { fixture in
            let old = try await HandDevice.settled(fixture, named: "tablet-1")
            fixture.now.advance(days: 300)
            let command = try #require(try await old.report(.idle))
            guard case .installProfile(let profile) = command.command else {
                Issue.record("another command")
                return
            }
            #expect(try await old.report(.idle)?.uuid == command.uuid)
            let new = try HandDevice(fixture, udid: old.udid, profile: profile)
            #expect(new.certificate != old.certificate)
            let list = try #require(try await new.report(.acknowledged, command.uuid))
            #expect(list.command == .profileList(managedOnly: false))
            #expect(try await new.report(.acknowledged, list.uuid) == nil)
            #expect(try await new.report(.idle) == nil)
            let idle = try CommandResult(udid: old.udid, status: .idle).propertyList.xml()
            let answer = try await fixture.send(idle, certificate: old.certificate)
            #expect(Refusal.code(in: answer.body) == Refusal.unrecognizedDevice)
            fixture.now.advance(days: 200)
            #expect(try await new.report(.idle) == nil)
        }
    }

    @Test func `a device that refuses a new identity keeps its own and is asked again after a day`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.settled(fixture, named: "tablet-1")
            fixture.now.advance(days: 300)
            let command = try #require(try await device.report(.idle))
            guard case .installProfile(let profile) = command.command else {
                Issue.record("another command")
                return
            }
            #expect(try await device.report(.error, command.uuid) == nil)
            let unused = try HandDevice(fixture, udid: device.udid, profile: profile)
            #expect(try await unused.authenticate() == 403)
            #expect(try await device.report(.idle) == nil)
            fixture.now.advance(days: 2)
            #expect(try await device.report(.idle)?.command.requestType == "InstallProfile")
        }
    }

    @Test func `a lost answer to the new identity does no harm`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, wire in
                try await enrolled(agent, fixture)
                fixture.now.advance(days: 300)
                let count = wire.sent.withLock { $0.count }
                wire.lostPut.withLock { $0 = count + 2 }
                await #expect(throws: EnrollmentError.self) { try await agent.checkIn() }
            }
            try await withAgent(fixture) { agent, _ in
                try await agent.checkIn()
                #expect(agent.settings.enrolled)
                #expect(try await fixture.changes("tablet-1").map(\.state) == ["acknowledged"])
            }
        }
    }

    @Test func `a new profile for another server is refused`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, wire in
                try await enrolled(agent, fixture)
                fixture.now.advance(days: 300)
                wire.rewrite.withLock { rewrite in
                    rewrite = { $0.replacing("mdm.baton.test:8444", with: "other.example") }
                }
                #expect(try await agent.checkIn() == CheckInReport(done: 0, failed: 1, later: 0))
                #expect(try await fixture.commands("tablet-1").first?.errors.map(\.code) == [1])
                wire.rewrite.withLock { $0 = { $0 } }
                #expect(try await agent.checkIn() == CheckInReport())
                #expect(agent.settings.enrolled)
            }
        }
    }

    @Test func `an enrolled device accepts a profile that was made for it, and keeps its state`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, wire in
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                try await push(broker: fixture)
                try await agent.checkIn()
                let udid = try await fixture.call(.get, "/devices/tablet-1", as: MDMAdmin.Device.self).udid
                let stranger = try await fixture.enrollmentProfile(named: "tablet-2")
                let refused = await #expect(throws: EnrollmentError.self) { try await agent.enroll(profile: stranger) }
                #expect(refused?.code == .turnedAway)
                #expect(try await agent.checkIn() == CheckInReport())
                #expect(agent.settings.brokerManaged)

                let made = try await fixture.enrollmentProfile(named: "tablet-3", takesOver: udid)
                // Authenticate arrives; its answer is lost.
                let count = wire.sent.withLock { $0.count }
                wire.lostPut.withLock { $0 = count + 1 }
                let lost = await #expect(throws: EnrollmentError.self) { try await agent.enroll(profile: made) }
                #expect(lost?.code == .unreachable)
                #expect(agent.settings.enrolled)
                try await agent.checkIn()
                #expect(agent.settings.brokerManaged)
                #expect(try await fixture.call(.get, "/devices/tablet-3", as: MDMAdmin.Device.self).state == "enrolled")
                #expect(try device(fixture).appending("identities").names().count == 1)
            }
        }
    }

    @Test func `the device's key is in a separate file, only for the broker, and is removed with the enrollment`()
        async throws
    {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, _ in
                let profile = try await fixture.enrollmentProfile(named: "tablet-1")
                try await agent.enroll(profile: profile)
                let record = String(
                    decoding: try #require(try device(fixture).file("state.json").read()), as: UTF8.self)
                let stored = try #require(JSONSerialization.jsonObject(with: Data(record.utf8)) as? [String: Any])
                let enrollment = try #require(stored["enrollment"] as? [String: Any])
                let credentials = try #require(enrollment["credentials"] as? [String: Any])
                let encoded = try #require(credentials["profile"] as? String)
                let kept = try Profile(xml: Array(try #require(Data(base64Encoded: encoded))))
                var identities = 0
                for payload in kept.payloads {
                    guard case .identity(let identity) = payload.content else { continue }
                    #expect(identity.container.exposed.isEmpty && identity.password.exposed.isEmpty)
                    identities += 1
                }
                #expect(identities == 1)
                let names = try device(fixture).appending("identities").names()
                #expect(names.count == 1)
                let path = device(fixture).path + "/identities/" + (names.first ?? "")
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                try await agent.unenroll()
                #expect(try device(fixture).names() == ["state.json"])
            }
        }
    }

    @Test func `an enrollment that its server lost before the confirmation is abandoned`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, wire in
                let profile = try await fixture.enrollmentProfile(named: "tablet-1")
                // The agent is stopped between Authenticate and TokenUpdate.
                wire.stopsAfter.withLock { $0 = 1 }
                let enrolling = Task { try await agent.enroll(profile: profile) }
                try await wire.stopped.value()
                enrolling.cancel()
            }
            try await fixture.raw(.delete, "/devices/tablet-1")
            try await withAgent(fixture) { agent, _ in
                let error = await #expect(throws: EnrollmentError.self) { try await agent.checkIn() }
                // The server may already have turned away the check-in at the agent's start.
                #expect(error?.code == .turnedAway || error?.code == .notEnrolled)
                #expect(!agent.settings.enrolled)
                let next = await #expect(throws: EnrollmentError.self) { try await agent.checkIn() }
                #expect(next?.code == .notEnrolled)
            }
        }
    }

    @Test func `an identity states until when the server accepts it, and so does the next one`()
        async throws
    {
        try await TestMDM.with { fixture in
            let first = try await HandDevice.enrolled(fixture, named: "tablet-1")
            #expect(try said(first) == (try await end(of: "tablet-1", fixture)))
            fixture.now.advance(days: 300)
            let command = try #require(try await first.report(.idle))
            guard case .installProfile(let profile) = command.command else { throw TestProblem("another command") }
            let next = try HandDevice(fixture, udid: first.udid, profile: profile)
            // The server's next command does not matter here.
            _ = try await next.report(.acknowledged, command.uuid)
            #expect(try said(next) == (try await end(of: "tablet-1", fixture)))
            #expect(try said(next) - said(first) == 300 * 86_400_000)
        }
    }

    /// When the identity expires according to the device's own certificate, in milliseconds since 1970.
    private func said(_ device: HandDevice) throws -> Int64 {
        let certificate = try Certificate(derEncoded: device.certificate)
        return try #require(try PrivateKeyUsagePeriod(of: certificate)).end * 1000
    }

    private func end(of device: String, _ fixture: TestMDM) async throws -> Int64 {
        try #require(try await fixture.call(.get, "/devices/\(device)", as: MDMAdmin.Device.self).identityEndsAt)
    }
}
