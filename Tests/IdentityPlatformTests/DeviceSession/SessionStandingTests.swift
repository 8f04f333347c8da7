// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Redaction
import Synchronization
import TestSupport
import Testing

@Suite struct SessionStandingTests {
    @Test func `a device hears how it and its session stand`() async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        #expect(try await till.standing(counter: 0, sessionID: nil) == .noSession)
        let session = try await till.session(counter: 3)
        #expect(try await session.standing() == .live)
        #expect(try await till.standing(counter: 4, sessionID: nil) == .noSession)
        #expect(try await session.end().status == .ok)
        #expect(try await session.standing() == .ended)
        // Asked again, nothing has changed.
        #expect(try await session.standing() == .ended)
    }

    @Test func `a session that the server does not know, or knows of another epoch, has ended`() async throws {
        let session = try await Till.joined(try await World()).session(counter: 3)
        for unknown in ["0af3c2b1-0000-4000-8000-000000000001", "never seen", ""] {
            #expect(try await session.standing(sessionID: unknown) == .ended)
        }
        #expect(try await session.standing(counter: 4) == .ended)
        #expect(try await session.standing() == .live)
    }

    @Test func `another device's session is none of a device's`() async throws {
        let world = try await World()
        let session = try await Till.joined(world).session()
        let other = try await Till.joined(world, number: 1)
        #expect(try await other.standing(counter: 1, sessionID: session.reply.sessionID) == .ended)
    }

    @Test func `a device that has left the epoch it names is told so, with and without a session`() async throws {
        let till = try await Till.joined(try await World())
        let session = try await till.session(counter: 3)
        #expect(try await session.standing(counter: 2) == .staleEpoch)
        #expect(try await till.standing(counter: 2, sessionID: nil) == .staleEpoch)
        let copy = try await till.ask(counter: 3, sessionID: nil, epochID: String(repeating: "a", count: 32))
        #expect(try SessionQuestion.standing(decoding: copy.body) == .staleEpoch)
    }

    @Test(arguments: Ending.allCases)
    func `whatever ends a session is announced for its device, after which the device finds it so`(
        ending: Ending
    ) async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        let (session, code) = try await till.sessionWithCode()
        let concerns = Mutex<[DeviceConcern]>([])
        world.platform.observeDevices { concern in concerns.withLock { $0.append(concern) } }
        try await ending.act(world, session, code)
        let heard = concerns.withLock(\.self)
        #expect(heard.contains { $0.tenant == world.tenant.id && $0.device.rawValue == (try? till.id) })
        #expect(heard.allSatisfy { $0.device.rawValue == (try? till.id) })
        if ending == .deviceRemoved {
            let answer = try await till.ask(counter: 1, sessionID: session.reply.sessionID)
            #expect(answer.errorNumber == OAuthError.unknownDeviceNumber)
        } else {
            #expect(try await session.standing() == ending.standing)
        }
    }

    enum Ending: CaseIterable {
        case personDisabled, personRemoved, passwordSet, sessionsRevoked, deviceDisabled, deviceRemoved, codeReplayed,
            nextWorker

        var standing: SessionStanding {
            switch self {
            case .deviceDisabled: .deviceDisabled
            case .nextWorker: .staleEpoch
            default: .ended
            }
        }

        func act(_ world: World, _ session: TillSession, _ code: String) async throws {
            let administration = world.administration
            let device = try #require(DeviceID(rawValue: try session.till.id))
            switch self {
            case .personDisabled: try await administration.setEnabled(false, world.amara)
            case .personRemoved: try await administration.remove(world.amara)
            case .passwordSet: try await administration.setPassword(Sensitive("another password"), of: world.amara)
            case .sessionsRevoked: try await administration.revokeSessions(of: world.amara)
            case .deviceDisabled: try await administration.setEnabled(false, device, tenant: world.tenant)
            case .deviceRemoved: try await administration.remove(device, tenant: world.tenant)
            case .codeReplayed:
                let again = try await world.redeem(code, ["client_id": WellKnownApplication.broker])
                #expect(again.errorNumber == 54005)
            case .nextWorker: _ = try await session.till.session("bo@contoso.test", counter: 2)
            }
        }
    }

    @Test func `a device that has said itself that its session ended is not told`() async throws {
        let world = try await World()
        let session = try await Till.joined(world).session()
        let count = Mutex(0)
        world.platform.observeDevices { _ in count.withLock { $0 += 1 } }
        #expect(try await session.end().status == .ok)
        #expect(count.withLock(\.self) == 0)
    }

    @Test func `a question is judged like every signed request`() async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        let end = EndpointPath.endSession(tenant: world.tenant.id.rawValue)
        #expect(
            try await till.ask(counter: 1, sessionID: nil, audience: "https://login.test" + end).errorNumber
                == 5_000_615)
        #expect(
            try await till.ask(counter: 1, sessionID: nil, deviceID: "0af3c2b1-0000-4000-8000-000000000001")
                .errorNumber == 5_000_616)
        #expect(try await till.ask(counter: 1, sessionID: nil, nonce: "x").suberror == Suberror.staleNonce)
        let nonce = try await till.nonce()
        #expect(try await till.ask(counter: 1, sessionID: nil, nonce: nonce).status == .ok)
        #expect(
            try await till.ask(counter: 1, sessionID: nil, nonce: nonce).suberror == Suberror.replayedRequest)
        var forged = try Till(world, number: 1)
        forged.certificate = till.certificate
        #expect(try await forged.ask(counter: 1, sessionID: nil).errorNumber == 50013)
    }
}

extension Till {
    /// A worker's session in epoch 1, and the code of the sign-in that began it.
    fileprivate func sessionWithCode() async throws -> (TillSession, code: String) {
        let query = AuthorizeQuery(
            world, ["client_id": WellKnownApplication.broker, "scope": "openid offline_access"])
        let code = try #require(try await Browser(world).signIn(query)[ParameterName.code])
        let tokens = try await world.redeem(code, ["client_id": WellKnownApplication.broker]).json
        let refresh = try tokens.string(ReplyName.refreshToken)
        let reply = try PrimaryRefreshToken.IssueReply(decoding: try await issue(refresh).body)
        let session = TillSession(
            till: self, reply: reply, key: try reply.sessionKey(transportKey: transportKey), counter: 1,
            brokerRefreshToken: refresh)
        return (session, code)
    }
}
