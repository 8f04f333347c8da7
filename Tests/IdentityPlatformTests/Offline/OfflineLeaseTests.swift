// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Receipts
import Redaction
import Storage
import Synchronization
import TestSupport
import Testing

@Suite struct OfflineLeaseTests {
    @Test func `without a decision of the organisation nobody gets a lease`() async throws {
        let world = try await World()
        let session = try await Till.joined(world).session()
        #expect(try await session.lease() == nil)
        try await world.allowOffline()
        try await world.administration.setOfflineRules(nil, tenant: world.tenant)
        #expect(try await session.lease() == nil)
    }

    @Test func `the worker of a session gets one, signed by a published key and bound to device and person`()
        async throws
    {
        let world = try await World()
        let till = try await Till.joined(world)
        try await world.allowOffline()
        let session = try await till.session()
        let lease = try #require(try await session.lease())
        let now = Int(world.clock.now.seconds)
        #expect(lease.tenant == world.tenant.id.rawValue)
        #expect(lease.device == (try till.id))
        #expect(lease.person.id == world.amara.id.rawValue)
        #expect(lease.person.userName == "amara@contoso.test")
        #expect(lease.person.displayName == "Amara Okafor")
        #expect((lease.issued, lease.ends) == (now, now + 3600))
        #expect(lease.limits == .init(poweredSeconds: 1800, boots: 2, attempts: 3))
        #expect(lease.credentials == [.password])
        let password = try #require(lease.password)
        #expect(try password.matches(SecretBytes(copying: World.password.utf8)))
        #expect(try !password.matches(SecretBytes(copying: "another password".utf8)))
    }

    @Test func `each name that receipts call the worker is another, and means them`() async throws {
        let world = try await World()
        try await world.allowOffline()
        let lease = try #require(try await Till.joined(world).session().lease())
        #expect(Set(lease.receiptSubjects).count == 16)
        for subject in lease.receiptSubjects {
            #expect(try await world.resolve(subject).user == world.amara.id.rawValue)
        }
    }

    @Test func `a lease holds no hash of the password, and two verifiers of one password differ`() async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        try await world.allowOffline()
        let session = try await till.session()
        let (first, second) = (try await session.lease(), try await session.lease())
        #expect(first?.password != nil)
        #expect(first?.password != second?.password)
        let hash = try await world.platform.database.read { [world] connection in
            try connection.row("SELECT passwordHash FROM person WHERE id = \(world.amara.id)")?.text(0)
        }
        let digest = try #require(hash?.split(separator: "$").last)
        let answer = try await session.askLeases()
        let text = try #require(try OfflineAnswer(decoding: answer.body).lease)
        let payload = try Base64URL.decode(text.split(separator: ".")[1])
        #expect(!String(decoding: payload, as: UTF8.self).contains(digest))
    }

    enum Obstacle: CaseIterable {
        case disabledPerson, endedSession, otherDevice, disabledDevice, personalDevice, noSession
    }

    @Test(arguments: Obstacle.allCases)
    func `whoever is not at this shared device with a good session gets none`(obstacle: Obstacle) async throws {
        let world = try await World()
        try await world.allowOffline()
        let till = try await Till.joined(world, isShared: obstacle != .personalDevice)
        let session = try await till.session()
        var asked = session.reply.sessionID
        var asker = till
        switch obstacle {
        case .disabledPerson: try await world.administration.setEnabled(false, world.amara)
        case .endedSession: _ = try await session.end()
        case .otherDevice: asker = try await Till.joined(world, number: 1)
        case .disabledDevice:
            try await world.administration.setEnabled(
                false, try #require(DeviceID(rawValue: try till.id)), tenant: world.tenant)
        case .personalDevice: break
        case .noSession: asked = nil
        }
        let answer = try await asker.askLeases(sessionID: asked)
        #expect(answer.status == .ok, "\(answer.text)")
        #expect(try OfflineAnswer(decoding: answer.body).lease == nil)
    }

    enum Withdrawal: CaseIterable {
        case personDisabled, personRemoved, passwordSet, sessionsRevoked, deviceDisabled, turnedOff, changed, time
        case byAnother
    }

    @Test(arguments: Withdrawal.allCases)
    func `what is withdrawn is not good any more, and its device is told to ask`(withdrawal: Withdrawal) async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        try await world.allowOffline()
        let session = try await till.session()
        let lease = try #require(try await session.lease())
        // The worker has left: what is withdrawn is withdrawn of those who are not there.
        #expect(try await session.end().status == .ok)
        #expect(try await till.good([lease.id, "unknown"]) == [lease.id])
        let concerns = Mutex<[DeviceConcern]>([])
        world.platform.observeDevices { concern in concerns.withLock { $0.append(concern) } }
        let administration = world.administration
        switch withdrawal {
        case .personDisabled: try await administration.setEnabled(false, world.amara)
        case .personRemoved: try await administration.remove(world.amara)
        case .passwordSet: try await administration.setPassword(Sensitive("another password"), of: world.amara)
        case .sessionsRevoked: try await administration.revokeSessions(of: world.amara)
        case .deviceDisabled:
            try await administration.setEnabled(
                false, try #require(DeviceID(rawValue: try till.id)), tenant: world.tenant)
        case .turnedOff: try await administration.setOfflineRules(nil, tenant: world.tenant)
        case .changed: try await world.allowOffline(attempts: 4)
        case .time: world.clock.advance(by: .seconds(3600))
        case .byAnother: _ = try await till.session(counter: 2).lease()
        }
        #expect(try await till.good([lease.id]) == [])
        guard withdrawal != .time, withdrawal != .byAnother else { return }
        #expect(concerns.withLock(\.self).contains { $0.device.rawValue == (try? till.id) })
    }

    @Test func `another device's lease is none of a device's`() async throws {
        let world = try await World()
        try await world.allowOffline()
        let (till, other) = (try await Till.joined(world), try await Till.joined(world, number: 1))
        let lease = try #require(try await till.session().lease())
        #expect(try await other.good([lease.id]) == [])
        #expect(try await till.good([lease.id]) == [lease.id])
    }

    @Test func `a question is judged like every signed request`() async throws {
        let world = try await World()
        let till = try await Till.joined(world)
        let state = EndpointPath.sessionState(tenant: world.tenant.id.rawValue)
        #expect(try await till.askLeases(audience: "https://login.test" + state).errorNumber == 5_000_615)
        let nonce = try await till.nonce()
        #expect(try await till.askLeases(nonce: nonce).status == .ok)
        #expect(try await till.askLeases(nonce: nonce).suberror == Suberror.replayedRequest)
        var forged = try Till(world, number: 1)
        forged.certificate = till.certificate
        #expect(try await forged.askLeases().errorNumber == 50013)
    }

    @Test func `a lease is no token: nothing that takes one of a person takes it`() async throws {
        let world = try await World()
        try await world.allowOffline()
        let session = try await Till.joined(world).session()
        let text = try #require(try OfflineAnswer(decoding: try await session.askLeases().body).lease)
        #expect(try await world.me(text).status == .unauthorized)
    }

    @Test func `the audit log says who turned it on and off, and whom each lease was given to`() async throws {
        let world = try await World()
        try await world.allowOffline()
        _ = try await Till.joined(world).session().lease()
        try await world.administration.setOfflineRules(nil, tenant: world.tenant)
        let lines = try await world.platform.database.read { try AuditLog($0).latest(100, tenant: world.tenant.id) }
        #expect(lines.contains { $0.action == "offline.on" })
        #expect(lines.contains { $0.action == "offline.off" })
        #expect(lines.contains { $0.action == "offline.lease.give" && $0.subject == world.amara.id.rawValue })
    }

    @Test func `rules out of bounds are none`() {
        let usual = OfflineLease.Limits(poweredSeconds: 3600, boots: 1, attempts: 5)
        #expect(OfflineRules(credentials: [.password], wallSeconds: 3600, limits: usual) != nil)
        #expect(OfflineRules(credentials: [], wallSeconds: 3600, limits: usual) == nil)
        #expect(OfflineRules(credentials: [.password], wallSeconds: 59, limits: usual) == nil)
        #expect(OfflineRules(credentials: [.password], wallSeconds: 604_801, limits: usual) == nil)
        for limits in [(59, 1, 5), (604_801, 1, 5), (3600, 101, 5), (3600, -1, 5), (3600, 1, 0), (3600, 1, 21)] {
            let limits = OfflineLease.Limits(poweredSeconds: limits.0, boots: limits.1, attempts: limits.2)
            #expect(OfflineRules(credentials: [.password], wallSeconds: 3600, limits: limits) == nil)
        }
    }
}

extension World {
    fileprivate func allowOffline(attempts: Int = 3) async throws {
        let rules = OfflineRules(
            credentials: [.password], wallSeconds: 3600,
            limits: .init(poweredSeconds: 1800, boots: 2, attempts: attempts))
        try await administration.setOfflineRules(rules, tenant: tenant)
    }
}

extension TillSession {
    fileprivate func askLeases() async throws -> TestResponse {
        try await till.askLeases(sessionID: reply.sessionID)
    }

    /// The lease that the server gives, checked with the keys that it publishes.
    fileprivate func lease() async throws -> OfflineLease? {
        let answer = try await askLeases()
        #expect(answer.status == .ok, "\(answer.text)")
        guard let text = try OfflineAnswer(decoding: answer.body).lease else { return nil }
        let path = EndpointPath.signingKeys(tenant: till.world.tenant.id.rawValue)
        let keys = try JSONWebKeySet(decoding: try await till.world.client.get(path).body)
        let id = try #require(try CompactJWS(text).keyID)
        let key = try #require(keys[id])
        return try OfflineLease(text, signedBy: try key.verificationKey())
    }
}

extension Till {
    fileprivate func askLeases(
        sessionID: String? = nil, held: [String] = [], audience: String? = nil, nonce: String? = nil
    ) async throws -> TestResponse {
        let fresh = try await self.nonce()
        return try await send(
            OfflineQuestion(
                try binding(OfflineQuestion.self, nonce: nonce ?? fresh, audience: audience), sessionID: sessionID,
                held: held))
    }

    fileprivate func good(_ held: [String]) async throws -> Set<String> {
        let answer = try await askLeases(held: held)
        #expect(answer.status == .ok, "\(answer.text)")
        return try OfflineAnswer(decoding: answer.body).good
    }
}
