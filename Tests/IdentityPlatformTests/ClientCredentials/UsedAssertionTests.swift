// SPDX-License-Identifier: Apache-2.0
import Crypto
import HTTPTypes
import IdentityPlatform
import JSON
import OAuth
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// An assertion is accepted once, and the requests of an application are limited.
@Suite struct UsedAssertionTests {
    private func stored(_ fixture: TestPlatform) async throws -> Int64? {
        try await fixture.platform.database.read {
            try $0.row("SELECT COUNT(*) AS count FROM clientAssertion")?["count"]
        }
    }

    @Test func `an assertion is accepted once, even after a restart`() async throws {
        let application = try await TestApplication(TestPlatform())
        let assertion = try application.assertion()
        #expect(try await application.ask(assertion).status == .ok)
        let again = try await application.ask(assertion)
        #expect(again.errorNumber == 5_000_642)
        #expect(again.status == .unauthorized)
        #expect(try await application.at(application.fixture.restarted()).ask(assertion).errorNumber == 5_000_642)
        // Another assertion with the same `jti` counts as the same one.
        for (id, number) in [("one", nil), ("two", nil), ("one", 5_000_642)] as [(String, Int?)] {
            let answer = try await application.ask(try application.assertion(["jti": .string(id)]))
            #expect(answer.errorNumber == number, "\(id)")
        }
        // Each application has its own.
        let other = try await TestApplication(application.fixture)
        #expect(try await other.ask(try other.assertion(["jti": .string("one")])).status == .ok)
    }

    @Test func `another signature over the same assertion does not make it a new one`() async throws {
        let application = try await TestApplication(TestPlatform())
        let id = JSONValue.string("x")
        // ECDSA signatures are random.
        let (first, second) = (try application.assertion(["jti": id]), try application.assertion(["jti": id]))
        #expect(first != second)
        #expect(try await application.ask(first).status == .ok)
        #expect(try await application.ask(second).errorNumber == 5_000_642)
    }

    @Test(arguments: SharedBackend.allCases)
    func `an assertion that one node accepted is refused by the other`(backend: SharedBackend) async throws {
        let (first, second) = try await backend.nodes()
        let application = try await TestApplication(first)
        let assertion = try application.assertion()
        #expect(try await application.at(second).ask(assertion).status == .ok)
        #expect(try await application.ask(assertion).errorNumber == 5_000_642)
    }

    @Test func `of many copies of one assertion at two nodes, one is accepted`() async throws {
        let (first, second) = try await SharedBackend.postgreSQL.nodes()
        let application = try await TestApplication(first)
        let assertion = try application.assertion()
        let accepted = try await simultaneously(16) {
            try await application.at($0 % 2 == 0 ? first : second).ask(assertion).status == .ok
        }
        #expect(accepted.count { $0 } == 1)
    }

    @Test func `housekeeping removes an assertion when no node accepts it any more`() async throws {
        let application = try await TestApplication(TestPlatform())
        let fixture = application.fixture
        let housekeeping = Housekeeping(fixture.platform)
        let assertion = try application.assertion()
        #expect(try await application.ask(assertion).status == .ok)
        fixture.clock.advance(by: .seconds(599))
        while try await housekeeping.sweep(step: 1) > 0 {}
        #expect(try await stored(fixture) == 1)
        #expect(try await application.ask(assertion).errorNumber == 5_000_642)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await application.ask(assertion).errorNumber == 700024)
        fixture.clock.advance(by: .seconds(60))
        while try await housekeeping.sweep(step: 1) > 0 {}
        #expect(try await stored(fixture) == 0)
    }

    @Test func `a client has a limited number of assertions, and others are not affected`() async throws {
        let application = try await TestApplication(TestPlatform())
        let fixture = application.fixture
        // Fills the table as a thousand requests would.
        let (tenant, end) = (fixture.tenant.id, fixture.clock.now + .seconds(660))
        try await fixture.platform.database.write { connection in
            for number in 0..<999 {
                try connection.execute(
                    """
                    INSERT INTO clientAssertion (tenant, client, hash, expires)
                    VALUES (\(tenant), \(application.client.id), \(Array("\(number)".utf8)), \(end))
                    """)
            }
        }
        #expect(try await application.ask(try application.assertion()).status == .ok)
        let refused = try await application.ask(try application.assertion())
        #expect(refused.errorNumber == 5_000_643)
        #expect(refused.status == .serviceUnavailable)
        _ = try await TestApplication(fixture).token()
        fixture.clock.advance(by: .seconds(660))
        #expect(try await application.ask(try application.assertion()).status == .ok)
        #expect(try await stored(fixture) == 2)
    }

    @Test func `failures are limited for each application and address`() async throws {
        let application = try await TestApplication(TestPlatform())
        let other = try await TestApplication(application.fixture)
        let stranger = application.at(application.fixture.from("192.0.2.1"))
        let bad = try application.assertion(signedBy: .p256(P256.Signing.PrivateKey()))
        for _ in 0..<60 { #expect(try await stranger.ask(bad).errorNumber == 700027) }
        #expect(try await stranger.ask(bad).errorNumber == 5_000_643)
        #expect(try await stranger.ask(try application.assertion()).errorNumber == 5_000_643)
        // The application itself, at another address, and other applications are not affected.
        #expect(
            try await application.at(application.fixture.from("192.0.2.2")).ask(try application.assertion()).status
                == .ok)
        #expect(try await other.at(stranger.fixture).ask(try other.assertion()).status == .ok)
        application.fixture.clock.advance(by: .seconds(5))
        #expect(try await stranger.ask(try application.assertion()).status == .ok)
    }

    @Test func `the grant reads no whole table`() async throws {
        let scans = FullScans()
        let fixture = try await TestPlatform(on: .sqlite, over: { PlannedDatabase($0, recordingIn: scans) })
        let application = try await TestApplication(fixture)
        scans.reset()
        let token = try await application.token()
        _ = try await application.verified(token)
        #expect(scans.planned > 8)
        #expect(scans.found == [])
    }
}
