// SPDX-License-Identifier: Apache-2.0
import IdentityPlatform
import Redaction
import Storage
import StorageTestSupport
import Testing

@Suite struct PasswordTests {
    @Test func `the cost is stored with the hash, so that old hashes stay valid`() async throws {
        let fixture = try await TestPlatform()
        let stored: [String] = try await fixture.platform.database.read {
            try $0.values(.passwordHash, of: User.self, "")
        }
        #expect(stored.allSatisfy { $0.hasPrefix("scrypt$4$8$1$") })
        #expect(Set(stored).count == stored.count)
        var configuration = fixture.platform.configuration
        configuration.passwordCost = try #require(PasswordCost(logarithm: 5, blockSize: 8, parallelism: 1))
        let dearer = try await fixture.restarted(configuration: configuration).platform
        #expect(try await check(dearer, fixture, TestPlatform.password))
        #expect(try await !check(dearer, fixture, "wrong"))
    }

    @Test(arguments: ["", "scrypt$4$8$1$AA", "scrypt$31$8$1$AAAA$AAAA", "bcrypt$4$8$1$AAAA$AAAA", "scrypt$4$8$1$?$?"])
    func `a hash in an unknown format is not used`(text: String) { #expect(PasswordHash(rawValue: text) == nil) }

    @Test func `a full queue refuses immediately`() async throws {
        let pool = HashingPool(threads: 1, capacity: 0)
        await #expect(throws: HashingPool.Busy.self) { try await pool.run { 1 } }
        #expect(try await HashingPool(threads: 1, capacity: 1).run { 1 } == 1)
    }

    @Test func `an unknown name, a disabled account and a wrong password cost the same hash work`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.administration.users.setEnabled(false, fixture.bo)
        let one = PasswordCost.minimal.rounds
        for (name, password) in [
            ("nobody@contoso.test", TestPlatform.password), ("bo@contoso.test", TestPlatform.password),
            ("amara@contoso.test", "wrong"), ("", ""),
        ] {
            let before = fixture.platform.hashing.done
            #expect(try await !check(fixture.platform, fixture, password, name: name))
            #expect(fixture.platform.hashing.done == before + one)
        }
    }

    @Test func `the cost of hashes follows OWASP, and older hashes are replaced at the next sign-in`() async throws {
        #expect(PasswordCost.standard == PasswordCost(logarithm: 15, blockSize: 8, parallelism: 3))
        let fixture = try await TestPlatform()
        var configuration = fixture.platform.configuration
        configuration.passwordCost = try #require(PasswordCost(logarithm: 4, blockSize: 8, parallelism: 3))
        let changed = try await fixture.restarted(configuration: configuration)
        func hashes() async throws -> [String] {
            try await fixture.platform.database.read {
                let hashes: [String] = try $0.values(.passwordHash, of: User.self, "ORDER BY loginName")
                return hashes.map { $0.split(separator: "$").prefix(4).joined(separator: "$") }
            }
        }
        #expect(try await signIn(changed).alert == nil)
        #expect(try await hashes() == ["scrypt$4$8$3", "scrypt$4$8$1"])
        #expect(try await signIn(changed).alert == nil)
        #expect(try await check(changed.platform, fixture, TestPlatform.password))
        #expect(try await !check(changed.platform, fixture, "wrong"))
    }

    @Test(arguments: [(7, 1), (4, 3)])
    func `after a change of the cost, the work still does not reveal who exists`(
        logarithm: Int, parallelism: Int
    ) async throws {
        let fixture = try await TestPlatform()
        var configuration = fixture.platform.configuration
        let dear = try #require(PasswordCost(logarithm: logarithm, blockSize: 8, parallelism: parallelism))
        configuration.passwordCost = dear
        let changed = try await fixture.restarted(configuration: configuration)
        func work(_ name: String, _ password: String = "wrong") async throws -> Int {
            let before = changed.platform.hashing.done
            let browser = Browser(changed)
            let page = try await browser.get(AuthorizeQuery(changed).path)
            _ = try await browser.submit(page, username: name, password: password)
            return changed.platform.hashing.done - before
        }
        let old = PasswordCost.minimal.rounds
        #expect(try await work("amara@contoso.test") == old)
        for number in 1...8 { #expect(try await work("n\(number)@contoso.test") == old) }

        // A sign-in replaces the person's hash with a hash at the current cost. For an unknown name, the work is that
        // of the old or of the current cost, and always the same for the same name.
        _ = try await work("amara@contoso.test", TestPlatform.password)
        #expect(try await work("amara@contoso.test") == dear.rounds)
        #expect(try await work("bo@contoso.test") == old)
        for number in 1...12 {
            let first = try await work("n\(number)@contoso.test")
            #expect(first == old || first == dear.rounds)
            #expect(try await work("n\(number)@contoso.test") == first)
        }
    }

    @Test func `if a password is changed while a sign-in is queued, the old one is no longer accepted`() async throws {
        for isRemoved in [false, true] {
            let (reads, read) = AsyncStream.makeStream(of: Void.self)
            let fixture = try await TestPlatform(
                { $0.hashingThreads = 1 }, over: { HashReads(database: $0, isRead: read) })
            let (gate, pool) = (Gate(), fixture.platform.hashing)
            let blocker = Task.immediate { try await pool.run { gate.pass() } }
            #expect(pool.waiting == 1)
            async let outcome = signIn(fixture)
            // The sign-in reads the old password's hash. Then its hash computation waits in the queue behind `blocker`.
            _ = await reads.first { _ in true }
            // The administrator does not wait in that queue.
            if isRemoved {
                try await fixture.administration.users.remove(fixture.amara)
            } else {
                try await fixture.administration.users.setPassword(Sensitive("another password"), of: fixture.amara)
            }
            gate.open()
            try await blocker.value
            let (alert, cookie) = try await outcome
            #expect(alert == 50126)
            #expect(cookie == nil)
        }
    }

    /// Signs in and returns the number of the page's error and the session cookie.
    private func signIn(_ fixture: TestPlatform) async throws -> (alert: Int?, cookie: String?) {
        let browser = Browser(fixture)
        let page = try await browser.get(AuthorizeQuery(fixture).path)
        let answer = try await browser.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        return (answer.shownError, browser.cookies["__Host-baton-session"])
    }

    private func check(
        _ platform: Platform, _ fixture: TestPlatform, _ password: String, name: String = "amara@contoso.test"
    ) async throws -> Bool {
        let checked = try await platform.passwords.check(
            name: name, password: SecretBytes(copying: Array(password.utf8)), tenant: fixture.tenant.id,
            from: SignInOrigin(PeerAddress(nil)))
        return checked != nil
    }
}

/// A database that reports each read of a password hash.
private struct HashReads: DatabaseLayer {
    let database: any Database
    let isRead: AsyncStream<Void>.Continuation

    func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await database.read { [isRead] in try body(Noticing(connection: $0, isRead: isRead)) }
    }

    private struct Noticing: Connection {
        let connection: any Connection
        let isRead: AsyncStream<Void>.Continuation

        func execute(_ sql: SQL) throws -> Int { try connection.execute(sql) }

        func rows(_ sql: SQL) throws -> [Row] {
            let rows = try connection.rows(sql)
            if "\(sql)".contains("SELECT passwordHash FROM person WHERE tenant = ") { isRead.yield() }
            return rows
        }

        func announce(_ announcement: any Announcement) throws { try connection.announce(announcement) }
    }
}
