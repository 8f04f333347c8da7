// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Storage
import TestSupport
import Testing

@Suite struct ThrottleTests {
    /// Tries a password on the sign-in page. Returns the error number in the page's alert; nil on success.
    private func attempt(
        _ fixture: TestPlatform, _ name: String = "amara@contoso.test", _ password: String = "wrong"
    ) async throws -> Int? {
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        let answer = try await browser.submit(page, username: name, password: password)
        return answer.shownError
    }

    @Test func `after ten wrong passwords even the right one is not checked, wherever it comes from`() async throws {
        let fixture = try await TestPlatform()
        for number in 1...10 { #expect(try await attempt(fixture.from("192.0.2.\(number)")) == 50126) }
        let work = fixture.platform.hashing.done
        #expect(try await attempt(fixture.from("192.0.2.11"), "Amara@Contoso.test", TestPlatform.password) == 50053)
        #expect(fixture.platform.hashing.done == work)
        #expect(try await attempt(fixture.from("192.0.2.11"), "bo@contoso.test", TestPlatform.password) == nil)

        let restarted = try await fixture.restarted().from("192.0.2.12")
        #expect(try await attempt(restarted, "amara@contoso.test", TestPlatform.password) == 50053)
        fixture.clock.advance(by: .seconds(299))
        #expect(try await attempt(restarted) == 50053)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await attempt(restarted) == 50126)
        #expect(try await attempt(restarted) == 50053)
        fixture.clock.advance(by: .seconds(300))
        #expect(try await attempt(restarted, "amara@contoso.test", TestPlatform.password) == nil)
        // A success resets the earlier failures.
        for number in 1...10 { #expect(try await attempt(fixture.from("192.0.2.\(number)")) == 50126) }
    }

    @Test func `an unknown name is locked like any other`() async throws {
        let fixture = try await TestPlatform()
        for _ in 1...10 { #expect(try await attempt(fixture, "nobody@contoso.test") == 50126) }
        #expect(try await attempt(fixture, "nobody@contoso.test") == 50053)
    }

    @Test func `strangers who guess do not lock a person out where that person is known`() async throws {
        let fixture = try await TestPlatform()
        let ward = fixture.from("198.51.100.7")
        #expect(try await attempt(ward, "amara@contoso.test", TestPlatform.password) == nil)
        for _ in 1...10 { #expect(try await attempt(fixture.from("192.0.2.1")) == 50126) }
        #expect(try await attempt(fixture.from("192.0.2.1")) == 50053)
        #expect(try await attempt(ward, "amara@contoso.test", TestPlatform.password) == nil)
        for _ in 1...10 { #expect(try await attempt(ward) == 50126) }
        #expect(try await attempt(ward, "amara@contoso.test", TestPlatform.password) == 50053)
    }

    @Test func `one address may guess at a hundred names, and no other address is affected`() async throws {
        let fixture = try await TestPlatform()
        let network = ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2"].map { fixture.from($0) }
        for number in 1...100 {
            #expect(try await attempt(network[number % 2], "n\(number)@contoso.test") == 50126)
        }
        #expect(try await attempt(network[0], "amara@contoso.test", TestPlatform.password) == 50053)
        #expect(try await attempt(fixture.from("2001:db8:0:2::1"), "amara@contoso.test", TestPlatform.password) == nil)
        fixture.clock.advance(by: .seconds(6))
        #expect(try await attempt(network[1], "bo@contoso.test", TestPlatform.password) == nil)
    }

    @Test func `parallel attempts cannot exceed the count`() async throws {
        let fixture = try await TestPlatform()
        let numbers = try await withThrowingTaskGroup { group in
            for _ in 1...20 { group.addTask { try await attempt(fixture) } }
            return try await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        #expect(numbers.filter { $0 == 50126 }.count == 10)
        #expect(numbers.filter { $0 == 50053 }.count == 10)
    }

    @Test func `no client gets more than a quarter of the queue, and the administrator has a separate share`()
        async throws
    {
        let pool = HashingPool(threads: 1, capacity: 8)
        let gate = Gate()
        try await withThrowingTaskGroup { group in
            // An immediate task takes its place in the queue before the next line runs.
            for asker in ["a", "a", "b"] { group.addImmediateTask { try await pool.run(for: asker) { gate.pass() } } }
            #expect(pool.waiting == 3)
            group.addImmediateTask {
                await #expect(throws: HashingPool.Busy.self) { try await pool.run(for: "a") { gate.pass() } }
            }
            group.addImmediateTask { try await pool.run(for: "c") { gate.pass() } }
            #expect(pool.waiting == 4)
            gate.open(times: 5)
            try await group.waitForAll()
        }
        try await pool.run(for: "a") {}
    }

    @Test func `refused guesses are one audit entry with a count`() async throws {
        let fixture = try await TestPlatform()
        for _ in 1...3 { _ = try await attempt(fixture, "x@contoso.test") }
        for _ in 1...2 { _ = try await attempt(fixture) }
        fixture.clock.advance(by: .seconds(601))
        _ = try await attempt(fixture)
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(9, tenant: fixture.tenant.id) }
        let refused = lines.filter { $0.outcome == "refused" }
        #expect(refused.map(\.repetitions) == [3, 2, 1])
        #expect(refused.map(\.actor) == ["unknown", fixture.amara.id.rawValue, fixture.amara.id.rawValue])
    }
}
