// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import TestSupport
import Testing

@Suite struct EndSessionTests {
    @Test func `the device ends its session and all that came of it`() async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        let browser = Browser(world)
        let refresh = try await world.brokerTokens(browser: browser).string(ReplyName.refreshToken)
        let issued = try PrimaryRefreshToken.IssueReply(decoding: try await till.issue(refresh).body)
        let session = TillSession(
            till: till, reply: issued, key: try issued.sessionKey(transportKey: till.transportKey), counter: 1,
            brokerRefreshToken: refresh)
        let access = try await session.tokens().string(ReplyName.accessToken)
        let pending = try await browser.get(AuthorizeQuery(world).path).returned()[ParameterName.code]
        #expect(pending != nil)

        let answer = try await session.end(endsBrowserSession: true)
        #expect(answer.status == .ok)
        #expect(answer.text == #"{"ended":true}"#)
        #expect(try await session.use().errorNumber == 70000)
        #expect(try await world.refresh(refresh, ["client_id": WellKnownApplication.broker]).errorNumber == 70000)
        #expect(try await world.redeem(pending).errorNumber == 70000)
        #expect(try await world.me(access).status == .unauthorized)
        #expect(try await browser.get(AuthorizeQuery(world).path).status == .ok)
        #expect(try await session.end().text == #"{"ended":true}"#)
    }

    @Test func `a session that the server does not know has ended`() async throws {
        let world = try await World()
        let session = try await Till.joined(world).session()
        for unknown in ["0af3c2b1-0000-4000-8000-000000000001", "never seen"] {
            #expect(try await session.end(sessionID: unknown).status == .ok)
        }
        #expect(try await session.use().status == .ok)
    }

    @Test func `another device's session is not for it to end`() async throws {
        let world = try await World()
        let session = try await Till.joined(world).session()
        let other = try await Till.joined(world, number: 1)
        #expect(try await session.end(by: other).status == .forbidden)
        #expect(try await session.use().status == .ok)
    }

    @Test func `after the end no lower epoch comes back`() async throws {
        let world = try await World()
        let session = try await Till.joined(world).session(counter: 3)
        #expect(try await session.end().status == .ok)
        let refresh = try await world.brokerTokens().string(ReplyName.refreshToken)
        #expect(try await session.till.issue(refresh, counter: 2).suberror == Suberror.staleEpoch)
        #expect(try await session.till.issue(refresh, counter: 4).status == .ok)
    }

    @Test func `a stale nonce, another address and a replay are refused`() async throws {
        let world = try await World()
        let session = try await Till.joined(world).session()
        #expect(try await session.end(nonce: "x").suberror == Suberror.staleNonce)
        #expect(try await session.end(audience: "https://elsewhere.test/").errorNumber == 50013)
        let nonce = try await session.till.nonce()
        #expect(try await session.end(nonce: nonce, sessionID: "unknown").status == .ok)
        #expect(try await session.end(nonce: nonce, sessionID: "unknown").suberror == Suberror.replayedRequest)
        #expect(try await session.use().status == .ok)
    }

    @Test func `a disabled device may still say that a session ended`() async throws {
        let world = try await World()
        let session = try await Till.joined(world).session()
        let id = try #require(DeviceID(rawValue: try session.till.id))
        try await world.administration.setEnabled(false, id, tenant: world.tenant)
        #expect(try await session.end().status == .ok)
        try await world.administration.remove(id, tenant: world.tenant)
        #expect(try await session.end().errorNumber == 50155)
    }
}
