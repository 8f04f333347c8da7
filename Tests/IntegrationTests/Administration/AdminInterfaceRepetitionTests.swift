// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Foundation
import HTTPTypes
import IdentityPlatform
import MDMServer
import OAuth
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// Requests with an `Idempotency-Key`: sent again, they are not carried out again.
@Suite struct AdminInterfaceRepetitionTests {
    private static let addGroup = IdentityAdmin.addGroup.operation
    private static let addProfile = MDMAdmin.addProfile.operation
    private static let group = #"{"displayName":"Ward"}"#
    private static let profile = #"{"sharedDevice":{"urls":["https://login.test"]}}"#

    private func headers(_ key: String) -> HTTPFields { [AdminFieldName.idempotencyKey.field: key] }

    private func isReplayed(_ answer: TestResponse) -> Bool {
        answer.headers[AdminFieldName.idempotencyReplayed.field] == "true"
    }

    /// The number of groups and of profiles.
    private func counts(_ fixture: TestAdministration) async throws -> [Int] {
        let groups: [IdentityAdmin.Group] = try await fixture.operate(IdentityAdmin.listGroups.operation).decoded()
        let profiles: [MDMAdmin.Profile] = try await fixture.operate(MDMAdmin.listProfiles.operation).decoded()
        return [groups.count, profiles.count]
    }

    @Test
    func `a repeated request gets the same answer and is carried out once, in both engines and by both interfaces`()
        async throws
    {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        for (operation, body) in [(Self.addGroup, Self.group), (Self.addProfile, Self.profile)] {
            let first = try await fixture.call(operation, token: token, headers: headers("k-1"), body: body)
            #expect(first.status == .created && !isReplayed(first), "\(first.text)")
            for _ in 1...2 {
                let again = try await fixture.call(operation, token: token, headers: headers("k-1"), body: body)
                #expect(again.status == .created && again.text == first.text)
                #expect(isReplayed(again))
            }
        }
        #expect(try await counts(fixture) == [1, 1])
        // Keys of another caller are other keys.
        let operated = try await fixture.operate(Self.addGroup, headers: headers("k-1"), body: Self.group)
        #expect(operated.status == .created && !isReplayed(operated))
        let repeated = try await fixture.operate(Self.addGroup, headers: headers("k-1"), body: Self.group)
        #expect(repeated.text == operated.text)
        #expect(isReplayed(repeated))
        #expect(try await counts(fixture) == [2, 1])
        // The repetition is not in the log, because nothing was done.
        let log: [IdentityAdmin.AuditEntry] = try await fixture.operate(
            IdentityAdmin.listAuditEntries.operation
        ).decoded()
        #expect(log.count { $0.action == "group.add" } == 2)
    }

    @Test func `a key belongs to one request of one caller`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        func add(_ body: String, _ token: String, path: String = "/identity/tenants/-/groups") async throws
            -> TestResponse
        {
            try await fixture.send(.post, path, token: token, headers: headers("k-1"), body: body)
        }
        #expect(try await add(Self.group, token).status == .created)
        for (body, path) in [
            (#"{"displayName":"Other"}"#, "/identity/tenants/-/groups"),
            (Self.group, "/identity/tenants/contoso.test/groups"),
            (Self.group, "/identity/tenants/\(fixture.tenant.id)/groups"),
        ] {
            let answer = try await add(body, token, path: path)
            #expect(answer.status == .conflict && answer.refusal == "admin.idempotency.reused", "\(answer.text)")
        }
        let second = try await fixture.token(of: try await fixture.person("second", .globalAdministrator))
        #expect(try await add(Self.group, second).status == .created)
        #expect(try await counts(fixture)[0] == 2)
    }

    @Test func `applications of two tenants with one id have keys of their own`() async throws {
        let fixture = try await TestAdministration()
        let application = try await fixture.application("Group.ReadWrite.All")
        let token = try await fixture.token(of: application)
        let first = try await fixture.call(Self.addGroup, token: token, headers: headers("k-1"), body: Self.group)
        #expect(first.status == .created)
        // The other tenant registers an application with the same id, and a key of its own.
        let other = try await fixture.acts.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        let namesake = try await fixture.acts.clients.add(
            NewClient(id: application.client.id, displayName: "Copy", redirectURIs: [], isConfidential: true),
            tenant: other)
        _ = try await fixture.acts.clients.addKey(try application.key.publicPEM(), name: "first", to: namesake)
        try await fixture.acts.clients.grant("Group.ReadWrite.All", to: namesake)
        let foreign = try await fixture.token(of: application, in: other)
        let answer = try await fixture.call(
            Self.addGroup, token: foreign, headers: headers("k-1"), body: Self.group)
        #expect(answer.status == .created && answer.text != first.text, "\(answer.text)")
        #expect(!isReplayed(answer))
    }

    @Test func `an answer with a secret is not kept, and its request is not carried out again`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        let client = try await fixture.application().client.id.rawValue
        for (operation, places, body, list) in [
            (
                IdentityAdmin.addClientSecret.operation, ["client": client], nil,
                IdentityAdmin.listClientSecrets.operation
            ),
            (MDMAdmin.addEnrollment.operation, [:], #"{"name":"tablet"}"#, MDMAdmin.listEnrollments.operation),
        ] as [(AdminOperation, [String: String], String?, AdminOperation)] {
            func send() async throws -> TestResponse {
                try await fixture.call(operation, places, token: token, headers: headers("k-1"), body: body)
            }
            let first = try await send()
            #expect(first.status == .created, "\(first.text)")
            let again = try await send()
            #expect(again.status == .conflict && again.refusal == "admin.idempotency.secret", "\(again.text)")
            let made = try await fixture.operate(list, places)
            #expect(made.text.components(separatedBy: "\"id\"").count == 2, "\(made.text)")
        }
        for database in [fixture.platform.database, fixture.management.database] {
            let kept = try await database.read { connection in
                try connection.rows("SELECT COUNT(reply) AS kept, COUNT(status) AS known FROM idempotency")
                    .map { (try $0["kept"] as Int64, try $0["known"] as Int64) }
            }
            #expect(kept.count == 1)
            #expect(kept.allSatisfy { $0 == (0, 0) })
        }
        // Every operation whose answer has a secret says so.
        let secret = AdminOperation.all.filter(\.hasSecretReply).map(\.id)
        #expect(Set(secret) == ["addClientSecret", "addEnrollment"])
    }

    @Test func `a malformed key is refused, and so is a key on a method that can be repeated without one`() async throws
    {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        for key in ["", "a b", String(repeating: "k", count: 65), "é", "a\tb"] {
            let answer = try await fixture.call(
                Self.addGroup, token: token, headers: headers(key), body: Self.group)
            #expect(answer.status == .badRequest && answer.refusal == "admin.idempotency.key", "\(key): \(answer.text)")
        }
        for operation in AdminOperation.all where operation.method != .post && operation.access != .serverOnly {
            let answer = try await fixture.call(
                operation, Attempt.places(of: operation), query: Attempt.query(of: operation), token: token,
                headers: headers("k"), body: Attempt.body(of: operation))
            #expect(answer.refusal == "admin.idempotency.method" && answer.status == .badRequest, "\(operation.id)")
        }
        let longest = String(repeating: "~", count: 64)
        #expect(
            try await fixture.call(Self.addGroup, token: token, headers: headers(longest), body: Self.group).status
                == .created)
    }

    @Test func `a refused request leaves its key free`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        let body = #"{"userPrincipalName":"bo@contoso.test","displayName":"Bo","password":"correct horse battery"}"#
        func add() async throws -> TestResponse {
            try await fixture.call(
                IdentityAdmin.addUser.operation, token: token, headers: headers("k-1"), body: body)
        }
        #expect(try await add().refusal == "identity.name.taken")
        try await fixture.acts.users.remove(fixture.bo)
        #expect(try await add().status == .created)
        #expect(isReplayed(try await add()))
    }

    @Test func `if the server stops between the act and its answer, the act is not carried out again`() async throws {
        for (operation, body) in [(Self.addGroup, Self.group), (Self.addProfile, Self.profile)] {
            let fixture = try await TestAdministration()
            let token = try await fixture.token(of: fixture.admin)
            func send() async throws -> TestResponse {
                try await fixture.call(operation, token: token, headers: headers("k-1"), body: body)
            }
            let outage: @Sendable () async throws -> Void = {
                throw StorageError(.unavailable, "the server has stopped")
            }
            if operation.engine == "mdm" {
                // The first write makes the organisation known to device management, and the second one is the act.
                fixture.beforeManagementAct.set {
                    fixture.beforeManagementAct.set { fixture.beforeManagementAct.set(outage) }
                }
            } else {
                fixture.beforeAct.set { fixture.beforeAct.set(outage) }
            }
            let first = try await send()
            #expect(first.status == .serviceUnavailable, "\(first.text)")
            let again = try await send()
            #expect(again.status == .conflict && again.refusal == "admin.idempotency.unfinished", "\(again.text)")
            #expect(try await counts(fixture).reduce(0, +) == 1, "\(operation.id)")
        }
    }

    @Test func `a request that arrives several times at once is carried out once`() async throws {
        for (operation, body) in [(Self.addGroup, Self.group), (Self.addProfile, Self.profile)] {
            let fixture = try await TestAdministration()
            let token = try await fixture.token(of: fixture.admin)
            let headers = headers("k-1")
            let answers = try await withThrowingTaskGroup(of: TestResponse.self) { group in
                for _ in 1...8 {
                    group.addTask { try await fixture.call(operation, token: token, headers: headers, body: body) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let made = answers.filter { $0.status == .created }
            #expect(!made.isEmpty && Set(made.map(\.text)).count == 1)
            for answer in answers where answer.status != .created {
                #expect(answer.refusal == "admin.idempotency.running", "\(answer.text)")
                #expect(answer.headers[.retryAfter] == "1")
            }
            #expect(try await counts(fixture).reduce(0, +) == 1, "\(operation.id)")
        }
    }

    @Test func `a repetition is told to wait while the first request runs, and gets its answer afterwards`()
        async throws
    {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        let headers = headers("k-1")
        @Sendable func send(_ body: String) async throws -> TestResponse {
            try await fixture.call(Self.addGroup, token: token, headers: headers, body: body)
        }
        fixture.beforeAct.set {
            let again = try await send(Self.group)
            #expect(again.status == .conflict && again.refusal == "admin.idempotency.running", "\(again.text)")
            #expect(again.headers[.retryAfter] == "1")
            #expect(try await send(#"{"displayName":"Other"}"#).refusal == "admin.idempotency.reused")
        }
        let first = try await send(Self.group)
        #expect(first.status == .created, "\(first.text)")
        let again = try await send(Self.group)
        #expect(again.text == first.text && isReplayed(again))
    }

    @Test func `a caller has ten thousand keys within an hour, and the oldest make room for others`() async throws {
        let fixture = try await TestAdministration()
        let account = "\(fixture.tenant.id) \(fixture.admin.id)"
        let databases = [fixture.platform.database, fixture.management.database]
        let begun = fixture.clock.now
        for database in databases {
            try await database.write { connection in
                for number in 0..<10_000 {
                    try connection.execute(
                        """
                        INSERT INTO idempotency (caller, key, digest, attempt, began)
                        VALUES (\(account), \("old-\(number)"), \([UInt8(1)]), 'a',
                            \(begun + .milliseconds(number < 5000 ? 0 : 10_000)))
                        """)
                }
            }
        }
        let acts = [(Self.addGroup, Self.group), (Self.addProfile, Self.profile)]
        fixture.clock.advance(by: .milliseconds(10_001))
        var token = try await fixture.token(of: fixture.admin)
        for (operation, body) in acts {
            let answer = try await fixture.call(operation, token: token, headers: headers("k-1"), body: body)
            #expect(answer.status == .tooManyRequests && answer.refusal == "admin.idempotency.many", "\(answer.text)")
            #expect(answer.headers[.retryAfter] == "3590" && answer.failure?.remedy.contains("3590 s") == true)
        }
        #expect(try await counts(fixture) == [0, 0])
        // Somebody else, and requests without a key, are served.
        #expect(try await fixture.operate(Self.addGroup, headers: headers("k-1"), body: Self.group).status == .created)
        #expect(try await fixture.call(Self.addGroup, token: token, body: Self.group).status == .created)
        // After the time that the refusal names, there is room. Keys of the last hour are kept.
        fixture.clock.advance(by: .seconds(3590))
        token = try await fixture.token(of: fixture.admin)
        for (operation, body) in acts {
            let answer = try await fixture.call(operation, token: token, headers: headers("k-1"), body: body)
            #expect(answer.status == .created, "\(answer.text)")
        }
        for database in databases {
            let rest = try await database.read { connection in
                try connection.rows("SELECT COUNT(*) AS number FROM idempotency WHERE caller = \(account)").map {
                    try $0["number"] as Int64
                }
            }
            #expect(rest == [5001])
        }
    }

    @Test func `housekeeping removes the keys of the day before`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        for (operation, body) in [(Self.addGroup, Self.group), (Self.addProfile, Self.profile)] {
            let answer = try await fixture.call(operation, token: token, headers: headers("k-1"), body: body)
            #expect(answer.status == .created, "\(answer.text)")
        }
        fixture.clock.advance(by: IdempotencyKeys.lifetime)
        let management = fixture.management
        let housekeeping = Housekeeping(fixture.platform, beside: { try await management.sweep() })
        while try await housekeeping.sweep() + management.sweep() > 0 {}
        for database in [fixture.platform.database, fixture.management.database] {
            let rest = try await database.read { connection in
                try connection.rows("SELECT COUNT(*) AS number FROM idempotency").map { try $0["number"] as Int64 }
            }
            #expect(rest == [0])
        }
    }

    // MARK: People who are removed

    private static let person =
        #"{"userPrincipalName":"zoe@contoso.test","displayName":"Zoe Zander","password":"correct horse battery"}"#

    @Test(arguments: [IdentityAdmin.eraseUser.operation, IdentityAdmin.removeUser.operation])
    func `no stored answer names a person who was erased or removed`(operation: AdminOperation) async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        func add(by interface: Int) async throws -> TestResponse {
            let add = IdentityAdmin.addUser.operation
            return interface == 0
                ? try await fixture.call(add, token: token, headers: headers("k-1"), body: Self.person)
                : try await fixture.operate(add, headers: headers("k-1"), body: Self.person)
        }
        for interface in 0...1 {
            let made = try await add(by: interface)
            let id = try made.member("id")
            let other = try await fixture.operate(
                Self.addGroup, headers: headers("other-\(interface)"), body: Self.group)
            #expect(other.status == .created)
            let removed = try await fixture.operate(operation, ["user": id])
            #expect(removed.status.kind == .successful, "\(removed.text)")
            let again = try await add(by: interface)
            #expect(again.refusal == "admin.idempotency.unfinished", "\(again.text)")
            let replies = try await fixture.platform.database.read { connection in
                try connection.rows("SELECT reply FROM idempotency").map {
                    String(decoding: try $0["reply"] as [UInt8]? ?? [], as: UTF8.self)
                }
            }
            for text in [id, "zoe", "Zander"] {
                #expect(!replies.contains { $0.contains(text) } && !again.text.contains(text))
            }
        }
        // Nobody was added a second time.
        let people: [IdentityAdmin.User] = try await fixture.operate(IdentityAdmin.listUsers.operation).decoded()
        #expect(people.count == 2)
    }

    @Test func `no stored answer names a person of a removed tenant`() async throws {
        let fixture = try await TestAdministration()
        let other = try await fixture.acts.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        let made = try await fixture.operate(
            IdentityAdmin.addUser.operation, ["tenant": "fabrikam.test"], headers: headers("k-1"),
            body: Self.person.replacing("contoso.test", with: "fabrikam.test"))
        #expect(made.status == .created, "\(made.text)")
        _ = try await fixture.acts.tenants.remove(other)
        let kept = try await fixture.platform.database.read { connection in
            try connection.rows("SELECT COUNT(reply) AS kept, COUNT(*) AS keys FROM idempotency").map {
                (try $0["kept"] as Int64, try $0["keys"] as Int64)
            }
        }
        #expect(kept.count == 1 && kept[0] == (0, 1))
    }

    @Test func `an answer that is stored after the erasure does not name the person, either`() async throws {
        let fixture = try await TestAdministration()
        let acts = fixture.acts
        let (platform, tenant) = (fixture.platform, fixture.tenant)
        // The act is the next write. Its answer is the write after it, before which the person is erased.
        fixture.beforeAct.set {
            fixture.beforeAct.set {
                let zoe = try await platform.database.read {
                    try Users($0).find(name: "zoe@contoso.test", tenant: tenant.id)
                }
                _ = try await acts.users.erase(try #require(zoe))
            }
        }
        let made = try await fixture.operate(
            IdentityAdmin.addUser.operation, headers: headers("k-1"), body: Self.person)
        #expect(made.status == .created, "\(made.text)")
        let kept = try await platform.database.read { connection in
            try connection.rows("SELECT COUNT(reply) AS kept, COUNT(*) AS keys FROM idempotency").map {
                (try $0["kept"] as Int64, try $0["keys"] as Int64)
            }
        }
        #expect(kept.count == 1 && kept[0] == (0, 1))
    }

    @Test func `the keys of an administrator who is erased are removed`() async throws {
        let fixture = try await TestAdministration()
        let second = try await fixture.person("second", .globalAdministrator)
        let token = try await fixture.token(of: second)
        let answer = try await fixture.call(
            Self.addGroup, token: token, headers: headers("k-1"), body: Self.group)
        #expect(answer.status == .created)
        _ = try await fixture.acts.users.erase(second)
        let keys = try await fixture.platform.database.read { try $0.rows("SELECT caller FROM idempotency").count }
        #expect(keys == 0)
    }
}
