// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Storage
import Synchronization
import TestSupport
import Testing

@Suite struct SessionStatusTests {
    @Test func `a device gets its own status and that of its session`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        #expect(try await testDevice.status(counter: 0, sessionID: nil) == .noSession)
        let session = try await testDevice.session(counter: 3)
        #expect(try await session.status() == .live)
        #expect(try await testDevice.status(counter: 4, sessionID: nil) == .noSession)
        #expect(try await session.end().status == .ok)
        #expect(try await session.status() == .ended)
        // A second query gets the same answer.
        #expect(try await session.status() == .ended)
    }

    @Test func `a session that is unknown, or known under another epoch, counts as ended`() async throws {
        let session = try await TestDevice.joined(try await TestPlatform()).session(counter: 3)
        for unknown in ["0af3c2b1-0000-4000-8000-000000000001", "never seen", ""] {
            #expect(try await session.status(sessionID: unknown) == .ended)
        }
        #expect(try await session.status(counter: 4) == .ended)
        #expect(try await session.status() == .live)
    }

    @Test func `a device gets no status of another device's session`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let other = try await TestDevice.joined(fixture, number: 1)
        #expect(try await other.status(counter: 1, sessionID: session.reply.sessionID) == .ended)
    }

    @Test func `a query for an epoch that the device has left is refused as stale, session or not`() async throws {
        let testDevice = try await TestDevice.joined(try await TestPlatform())
        let session = try await testDevice.session(counter: 3)
        #expect(try await session.status(counter: 2) == .staleEpoch)
        #expect(try await testDevice.status(counter: 2, sessionID: nil) == .staleEpoch)
        let copy = try await testDevice.ask(counter: 3, sessionID: nil, epochID: String(repeating: "a", count: 32))
        #expect(try SessionStatusRequest.status(decoding: copy.body) == .staleEpoch)
    }

    @Test(arguments: Ending.allCases)
    func `every end of a session is announced to its device, which then sees it as ended`(
        ending: Ending
    ) async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let (session, code) = try await testDevice.sessionWithCode()
        let concerns = Mutex<[DeviceStateChange]>([])
        fixture.platform.observeDevices { seen in concerns.withLock { $0 += [seen.change].compactMap(\.self) } }
        try await ending.act(fixture, session, code)
        let heard = concerns.withLock(\.self)
        #expect(heard.contains { $0.tenant == fixture.tenant.id && $0.device.rawValue == (try? testDevice.id) })
        #expect(heard.allSatisfy { $0.device.rawValue == (try? testDevice.id) })
        if ending == .deviceRemoved {
            let answer = try await testDevice.ask(counter: 1, sessionID: session.reply.sessionID)
            #expect(answer.errorNumber == OAuthError.unknownDeviceNumber)
        } else {
            #expect(try await session.status() == ending.status)
        }
    }

    enum Ending: CaseIterable {
        case personDisabled, personRemoved, passwordSet, sessionsRevoked, deviceDisabled, deviceRemoved, codeReplayed,
            nextWorker

        var status: SessionStatus {
            switch self {
            case .deviceDisabled: .deviceDisabled
            case .nextWorker: .staleEpoch
            default: .ended
            }
        }

        func act(_ fixture: TestPlatform, _ session: TestDeviceSession, _ code: String) async throws {
            let administration = fixture.administration
            let device = try #require(DeviceID(rawValue: try session.testDevice.id))
            switch self {
            case .personDisabled: try await administration.users.setEnabled(false, fixture.amara)
            case .personRemoved: try await administration.users.remove(fixture.amara)
            case .passwordSet:
                try await administration.users.setPassword(Sensitive("another password"), of: fixture.amara)
            case .sessionsRevoked: try await administration.users.revokeSessions(of: fixture.amara)
            case .deviceDisabled: try await administration.devices.setEnabled(false, device, tenant: fixture.tenant)
            case .deviceRemoved: try await administration.devices.remove(device, tenant: fixture.tenant)
            case .codeReplayed:
                let again = try await fixture.redeem(code, ["client_id": WellKnownApplication.broker])
                #expect(again.errorNumber == 54005)
            case .nextWorker: _ = try await session.testDevice.session("bo@contoso.test", counter: 2)
            }
        }
    }

    @Test func `a device that has itself reported the end of its session is not notified`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        let count = Mutex(0)
        fixture.platform.observeDevices { seen in if seen.change != nil { count.withLock { $0 += 1 } } }
        #expect(try await session.end().status == .ok)
        #expect(count.withLock(\.self) == 0)
    }

    @Test func `a device can remove itself with its own key, unless it is disabled or unknown`()
        async throws
    {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session(counter: 3)
        let devices = fixture.administration.devices
        let id = try #require(DeviceID(rawValue: try testDevice.id))
        try await devices.setEnabled(false, id, tenant: fixture.tenant)
        #expect(try await testDevice.leave().errorNumber == OAuthError.disabledDeviceNumber)
        try await devices.setEnabled(true, id, tenant: fixture.tenant)
        // A request that is signed with a different key does not remove the device.
        var other = try TestDevice(fixture, number: 1)
        other.certificate = testDevice.certificate
        #expect(try await other.leave().errorNumber == 50013)
        #expect(try await testDevice.status(counter: 3, sessionID: nil) == .noSession)
        let answer = try await testDevice.leave()
        #expect(answer.status == .ok && LeaveRequest.isConfirmed(by: answer.body))
        #expect(
            try await testDevice.ask(counter: 3, sessionID: session.reply.sessionID).errorNumber
                == OAuthError.unknownDeviceNumber)
        #expect(try await testDevice.leave().errorNumber == OAuthError.unknownDeviceNumber)
    }

    @Test func `a status query is checked like every signed request`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let end = EndpointPath.endSession(tenant: fixture.tenant.id.rawValue)
        #expect(
            try await testDevice.ask(counter: 1, sessionID: nil, audience: "https://login.test" + end).errorNumber
                == 5_000_615)
        #expect(
            try await testDevice.ask(counter: 1, sessionID: nil, deviceID: "0af3c2b1-0000-4000-8000-000000000001")
                .errorNumber == 5_000_616)
        #expect(try await testDevice.ask(counter: 1, sessionID: nil, nonce: "x").suberror == Suberror.staleNonce)
        let nonce = try await testDevice.nonce()
        #expect(try await testDevice.ask(counter: 1, sessionID: nil, nonce: nonce).status == .ok)
        #expect(
            try await testDevice.ask(counter: 1, sessionID: nil, nonce: nonce).suberror == Suberror.replayedRequest)
        var forged = try TestDevice(fixture, number: 1)
        forged.certificate = testDevice.certificate
        #expect(try await forged.ask(counter: 1, sessionID: nil).errorNumber == 50013)
    }
}

extension TestDevice {
    /// Starts a worker's session in epoch 1. Returns the session and the code of its sign-in.
    fileprivate func sessionWithCode() async throws -> (TestDeviceSession, code: String) {
        let query = AuthorizeQuery(
            fixture, ["client_id": WellKnownApplication.broker, "scope": "openid offline_access"])
        let code = try #require(try await Browser(fixture).signIn(query)[ParameterName.code])
        let tokens = try await fixture.redeem(code, ["client_id": WellKnownApplication.broker]).json
        let refresh = try tokens.string(ReplyName.refreshToken)
        let reply = try PrimaryRefreshToken.IssueReply(decoding: try await issue(refresh).body)
        let session = TestDeviceSession(
            testDevice: self, reply: reply, key: try reply.sessionKey(transportKey: transportKey), counter: 1,
            brokerRefreshToken: refresh)
        return (session, code)
    }
}
