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
    @Test func `nobody gets a lease unless the organisation has decided so`() async throws {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        #expect(try await session.lease() == nil)
        try await fixture.allowOffline()
        try await fixture.administration.tenants.setOfflineRules(nil, tenant: fixture.tenant)
        #expect(try await session.lease() == nil)
    }

    @Test func `the worker of a session gets a lease that is signed and bound to device and person`()
        async throws
    {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        try await fixture.allowOffline()
        let session = try await testDevice.session()
        let lease = try #require(try await session.lease())
        let now = Int(fixture.clock.now.seconds)
        #expect(lease.tenant == fixture.tenant.id.rawValue)
        #expect(lease.device == (try testDevice.id))
        #expect(lease.person.id == fixture.amara.id.rawValue)
        #expect(lease.person.userName == "amara@contoso.test")
        #expect(lease.person.displayName == "Amara Okafor")
        #expect((lease.issued, lease.ends) == (now, now + 3600))
        #expect(lease.limits == .init(poweredSeconds: 1800, boots: 2, attempts: 3))
        #expect(lease.credentials == [.password])
        let password = try #require(lease.password)
        #expect(try password.matches(SecretBytes(copying: TestPlatform.password.utf8)))
        #expect(try !password.matches(SecretBytes(copying: "another password".utf8)))
    }

    @Test func `a lease has sixteen different receipt subjects, which all resolve to the worker`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.allowOffline()
        let lease = try #require(try await TestDevice.joined(fixture).session().lease())
        #expect(Set(lease.receiptSubjects).count == 16)
        for subject in lease.receiptSubjects {
            #expect(try await fixture.resolve(subject).user == fixture.amara.id.rawValue)
        }
    }

    @Test func `a lease holds no hash of the password, and two verifiers of one password differ`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        try await fixture.allowOffline()
        let session = try await testDevice.session()
        let (first, second) = (try await session.lease(), try await session.lease())
        #expect(first?.password != nil)
        #expect(first?.password != second?.password)
        let hash: String? = try await fixture.platform.database.read { [fixture] connection in
            try connection.value(.passwordHash, of: User.self, "WHERE id = \(fixture.amara.id)")
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
    func `nobody without a valid session on this shared device gets a lease`(obstacle: Obstacle) async throws {
        let fixture = try await TestPlatform()
        try await fixture.allowOffline()
        let testDevice = try await TestDevice.joined(fixture, isShared: obstacle != .personalDevice)
        let session = try await testDevice.session()
        var asked = session.reply.sessionID
        var asker = testDevice
        switch obstacle {
        case .disabledPerson: try await fixture.administration.users.setEnabled(false, fixture.amara)
        case .endedSession: _ = try await session.end()
        case .otherDevice: asker = try await TestDevice.joined(fixture, number: 1)
        case .disabledDevice:
            try await fixture.administration.devices.setEnabled(
                false, try #require(DeviceID(rawValue: try testDevice.id)), tenant: fixture.tenant)
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
    func `a withdrawn lease is no longer valid, and its device is told to query it`(withdrawal: Withdrawal) async throws
    {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        try await fixture.allowOffline()
        let session = try await testDevice.session()
        let lease = try #require(try await session.lease())
        // The worker is signed out. A lease is withdrawn even if its owner is not signed in.
        #expect(try await session.end().status == .ok)
        #expect(try await testDevice.good([lease.id, "unknown"]) == [lease.id])
        let concerns = Mutex<[DeviceStateChange]>([])
        fixture.platform.observeDevices { seen in concerns.withLock { $0 += [seen.change].compactMap(\.self) } }
        let administration = fixture.administration
        switch withdrawal {
        case .personDisabled: try await administration.users.setEnabled(false, fixture.amara)
        case .personRemoved: try await administration.users.remove(fixture.amara)
        case .passwordSet: try await administration.users.setPassword(Sensitive("another password"), of: fixture.amara)
        case .sessionsRevoked: try await administration.users.revokeSessions(of: fixture.amara)
        case .deviceDisabled:
            try await administration.devices.setEnabled(
                false, try #require(DeviceID(rawValue: try testDevice.id)), tenant: fixture.tenant)
        case .turnedOff: try await administration.tenants.setOfflineRules(nil, tenant: fixture.tenant)
        case .changed: try await fixture.allowOffline(attempts: 4)
        case .time: fixture.clock.advance(by: .seconds(3600))
        case .byAnother: _ = try await testDevice.session(counter: 2).lease()
        }
        #expect(try await testDevice.good([lease.id]) == [])
        guard withdrawal != .time, withdrawal != .byAnother else { return }
        #expect(concerns.withLock(\.self).contains { $0.device.rawValue == (try? testDevice.id) })
    }

    @Test func `a device cannot get another device's lease`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.allowOffline()
        let (testDevice, other) = (
            try await TestDevice.joined(fixture), try await TestDevice.joined(fixture, number: 1)
        )
        let lease = try #require(try await testDevice.session().lease())
        #expect(try await other.good([lease.id]) == [])
        #expect(try await testDevice.good([lease.id]) == [lease.id])
    }

    @Test func `a lease request is checked like every signed request`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let state = EndpointPath.sessionState(tenant: fixture.tenant.id.rawValue)
        #expect(try await testDevice.askLeases(audience: "https://login.test" + state).errorNumber == 5_000_615)
        let nonce = try await testDevice.nonce()
        #expect(try await testDevice.askLeases(nonce: nonce).status == .ok)
        #expect(try await testDevice.askLeases(nonce: nonce).suberror == Suberror.replayedRequest)
        var forged = try TestDevice(fixture, number: 1)
        forged.certificate = testDevice.certificate
        #expect(try await forged.askLeases().errorNumber == 50013)
    }

    @Test func `a lease is accepted nowhere as a person's token`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.allowOffline()
        let session = try await TestDevice.joined(fixture).session()
        let text = try #require(try OfflineAnswer(decoding: try await session.askLeases().body).lease)
        #expect(try await fixture.me(text).status == .unauthorized)
    }

    @Test func `a lease has none of the claims with which a token names person, session, application and permissions`()
        async throws
    {
        let fixture = try await TestPlatform()
        try await fixture.allowOffline()
        let session = try await TestDevice.joined(fixture).session()
        let text = try #require(try OfflineAnswer(decoding: try await session.askLeases().body).lease)
        let claims = try CompactJWS(text).claims()
        for name in [ClaimName.objectID, .sessionID, .appID, .scopes] { #expect(claims[name] == nil, "\(name)") }
        #expect(try claims.string(ClaimName.subject) == fixture.amara.id.rawValue)
    }

    @Test func `the audit log says who turned leases on and off, and who got each lease`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.allowOffline()
        _ = try await TestDevice.joined(fixture).session().lease()
        try await fixture.administration.tenants.setOfflineRules(nil, tenant: fixture.tenant)
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(100, tenant: fixture.tenant.id) }
        #expect(lines.contains { $0.action == "offline.on" })
        #expect(lines.contains { $0.action == "offline.off" })
        #expect(lines.contains { $0.action == "offline.lease.give" && $0.subject == fixture.amara.id.rawValue })
    }

    @Test func `a lease names the accepted credentials, and has a password verifier only if passwords are among them`()
        async throws
    {
        let fixture = try await TestPlatform()
        let session = try await TestDevice.joined(fixture).session()
        try await fixture.allowOffline(by: [.password, .pin])
        let both = try #require(try await session.lease())
        #expect(both.credentials == [.password, .pin])
        #expect(both.password != nil)
        try await fixture.allowOffline(by: [.pinWithoutTPM])
        let alone = try #require(try await session.lease())
        #expect(alone.credentials == [.pinWithoutTPM])
        #expect(alone.password == nil)
    }

    @Test func `the audit log says that a PIN is enough without a TPM, and only in that case`() async throws {
        let fixture = try await TestPlatform()
        for (credentials, count) in [([.password, .pin], 0), ([.pin, .pinWithoutTPM], 1)]
            as [(Set<OfflineLease.Credential>, Int)]
        {
            try await fixture.allowOffline(by: credentials)
            let lines = try await fixture.platform.database.read {
                try AuditLog($0).latest(100, tenant: fixture.tenant.id)
            }
            #expect(lines.filter { $0.action == "offline.pin-without-tpm" }.count == count)
        }
    }

    @Test func `rules with values out of range are refused`() {
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

extension TestPlatform {
    fileprivate func allowOffline(
        by credentials: Set<OfflineLease.Credential> = [.password], attempts: Int = 3
    ) async throws {
        let rules = OfflineRules(
            credentials: credentials, wallSeconds: 3600,
            limits: .init(poweredSeconds: 1800, boots: 2, attempts: attempts))
        try await administration.tenants.setOfflineRules(rules, tenant: tenant)
    }
}

extension TestDeviceSession {
    fileprivate func askLeases() async throws -> TestResponse {
        try await testDevice.askLeases(sessionID: reply.sessionID)
    }

    /// The lease that the server issues, verified with its published keys.
    fileprivate func lease() async throws -> OfflineLease? {
        let answer = try await askLeases()
        #expect(answer.status == .ok, "\(answer.text)")
        guard let text = try OfflineAnswer(decoding: answer.body).lease else { return nil }
        let path = EndpointPath.signingKeys(tenant: testDevice.fixture.tenant.id.rawValue)
        let keys = try JSONWebKeySet(decoding: try await testDevice.fixture.client.get(path).body)
        let id = try #require(try CompactJWS(text).keyID)
        let key = try #require(keys[id])
        return try OfflineLease(text, signedBy: try key.verificationKey())
    }
}

extension TestDevice {
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
