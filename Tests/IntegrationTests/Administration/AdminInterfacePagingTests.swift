// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Foundation
import HTTPTypes
import IdentityPlatform
import MDMServer
import Storage
import TestSupport
import Testing

/// Lists in pages, in both engines.
@Suite struct AdminInterfacePagingTests {
    private static let lists = AdminOperation.all.filter { operation in
        operation.query.contains { $0.name == QueryParameter.after.name }
    }

    /// The names in the paths of lists.
    private static let places = ["group": "Ward"]

    /// Makes seven objects of each kind. Where names need not be unique, several have one name. The devices are in a group.
    private func fixture() async throws -> TestAdministration {
        let fixture = try await TestAdministration()
        let (acts, tenant) = (fixture.acts, fixture.tenant)
        let ward = try await acts.groups.add("Ward", mailNickname: "ward", description: nil, tenant: tenant.id)
        for number in 0..<7 {
            let name = "name \(number / 3)"
            let person = try await fixture.person("person\(number)")
            _ = try await fixture.token(of: person)
            _ = try await acts.groups.add(name, mailNickname: "ward\(number)", description: nil, tenant: tenant.id)
            _ = try await acts.clients.add(
                NewClient(displayName: name, redirectURIs: ["https://app.test/cb"]), tenant: tenant)
            let device = "0d0d0d0d-0000-4000-8000-00000000000\(number)"
            try await fixture.addDirectoryDevice(id: device, name: name)
            try await acts.groups.add(try #require(DeviceID(rawValue: device)), to: ward)
            // A device chooses its UDID itself.
            try await fixture.addManagedDevice(udid: "U \(number)%2", name: name)
            try await fixture.management.database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO app (tenant, bundleIdentifier, version, title, size, sha256, createdAt)
                    VALUES (\(tenant.id), \("org.contoso.app\(number / 3)"), \("1.\(number)"), \(name), 1, 'ab', 1)
                    """)
                try connection.execute(
                    """
                    INSERT INTO profile (tenant, identifier, uuid, displayName, body)
                    VALUES (\(tenant.id), \("org.contoso.profile\(number)"), 'u', \(name), \([UInt8(1)]))
                    """)
            }
        }
        return fixture
    }

    /// The path in `Link`; nil without it.
    private func next(_ answer: TestResponse) throws -> String? {
        guard let link = answer.headers[AdminFieldName.link.field] else { return nil }
        let parts = try #require(link.firstMatch(of: /^<([^<>]*)>; rel="next"$/), "\(link)")
        return String(parts.output.1)
    }

    private func items(_ answer: TestResponse) throws -> [String] {
        #expect(answer.status == .ok, "\(answer.text)")
        let array = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [Any])
        return try array.map { item in
            String(decoding: try JSONSerialization.data(withJSONObject: item, options: .sortedKeys), as: UTF8.self)
        }
    }

    @Test func `all pages of a list together are the list, in the same order, through both interfaces`() async throws {
        let fixture = try await fixture()
        let token = try await fixture.token(of: fixture.admin)
        #expect(Self.lists.count == 10)
        for operation in Self.lists {
            let whole = try items(
                try await fixture.call(operation, Self.places, query: [("limit", "1000")], token: token))
            #expect(whole.count >= 7 && Set(whole).count == whole.count, "\(operation.id): \(whole.count)")
            for size in [1, 2, 3, whole.count - 1, whole.count, whole.count + 1] {
                var path: String? = operation.path(
                    Self.places.merging(["tenant": "-"]) { $1 }, query: [("limit", "\(size)")])
                var pages: [[String]] = []
                while let place = path {
                    let answer = try await fixture.send(.get, place, token: token)
                    pages.append(try items(answer))
                    path = try next(answer)
                    try #require(pages.count <= whole.count, "\(operation.id) does not end")
                }
                #expect(pages.flatMap(\.self) == whole, "\(operation.id), \(size)")
                #expect(pages.dropLast().allSatisfy { $0.count == size })
                #expect(pages.last?.isEmpty == false, "\(operation.id), \(size)")
            }
            let operated = try await fixture.operate(operation, Self.places, query: [("limit", "2")])
            #expect(try items(operated) == Array(whole.prefix(2)), "\(operation.id)")
            #expect(try next(operated) != nil)
        }
    }

    @Test func `the link keeps the other parameters of the query`() async throws {
        let fixture = try await fixture()
        let bo = try await fixture.person("busy")
        for _ in 1...3 { _ = try await fixture.token(of: bo) }
        let token = try await fixture.token(of: fixture.admin)
        let first = try await fixture.call(
            IdentityAdmin.listSessions.operation, query: [("user", "busy@contoso.test"), ("limit", "2")], token: token)
        let second = try await fixture.send(.get, try #require(try next(first)), token: token)
        let all = try items(first) + items(second)
        #expect(all.count == 3 && all.allSatisfy { $0.contains("busy@contoso.test") })
        #expect(try next(second) == nil)
    }

    @Test func `a list that is ordered by name can be limited to a beginning of the name, on all of its pages`()
        async throws
    {
        let fixture = try await fixture()
        let token = try await fixture.token(of: fixture.admin)
        let beginnings = [
            "listUsers": ("person", "userPrincipalName"), "listProfiles": ("org.contoso.profile1", "identifier"),
            "listApps": ("org.contoso.app1", "bundleIdentifier"), "listManagedDevices": ("name 1", "name"),
        ]
        let byName = Self.lists.filter { operation in
            operation.query.contains { $0.name == QueryParameter.startsWith.name }
        }
        #expect(byName.count == 8)
        for operation in byName {
            let (beginning, member) = beginnings[operation.id] ?? ("name 1", "displayName")
            func names(_ answer: TestResponse) throws -> [String] {
                let list = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [[String: Any]])
                return try list.map { try #require($0[member] as? String) }
            }
            let whole = try names(
                try await fixture.call(operation, Self.places, query: [("limit", "1000")], token: token))
            let wanted = whole.filter { $0.hasPrefix(beginning) }
            #expect(!wanted.isEmpty && wanted.count < whole.count, "\(operation.id)")
            var path: String? = operation.path(
                Self.places.merging(["tenant": "-"]) { $1 }, query: [("startsWith", beginning), ("limit", "2")])
            var found: [String] = []
            while let place = path, found.count <= whole.count {
                let answer = try await fixture.send(.get, place, token: token)
                found += try names(answer)
                path = try next(answer)
            }
            #expect(found == wanted, "\(operation.id)")
            for nothing in ["~", beginning + "\u{10FFFD}", beginning.uppercased(), "%", "_"] {
                let answer = try await fixture.call(
                    operation, Self.places, query: [("startsWith", nothing)], token: token)
                #expect(answer.text == "[]", "\(operation.id): \(nothing)")
            }
            for bad in ["", "a\u{0}b", "\n", String(repeating: "a", count: 1025)] {
                let answer = try await fixture.call(operation, Self.places, query: [("startsWith", bad)], token: token)
                #expect(answer.refusal == "\(operation.engine).malformed", "\(operation.id): \(answer.text)")
            }
        }
        let sessions = try await fixture.call(
            IdentityAdmin.listSessions.operation, query: [("startsWith", "a")], token: token)
        #expect(sessions.refusal == "admin.query", "\(sessions.text)")
    }

    @Test func `an item that is added or removed between two pages moves no other item to another page`() async throws {
        let fixture = try await fixture()
        let token = try await fixture.token(of: fixture.admin)
        let list = IdentityAdmin.listGroups.operation
        let whole = try items(try await fixture.call(list, token: token))
        let first = try await fixture.call(list, query: [("limit", "3")], token: token)
        _ = try await fixture.acts.groups.add("a", mailNickname: "first", description: nil, tenant: fixture.tenant.id)
        let removed: [IdentityAdmin.Group] = try first.decoded()
        let removal = try await fixture.operate(
            IdentityAdmin.removeGroup.operation, ["group": try #require(removed.last).id])
        #expect(removal.status == .noContent)
        let second = try await fixture.send(.get, try #require(try next(first)), token: token)
        #expect(try items(first) + items(second) == Array(whole.prefix(6)))
    }

    @Test func `a page has 1 to 1000 items, and its beginning is one that the list itself gave`() async throws {
        let fixture = try await fixture()
        let token = try await fixture.token(of: fixture.admin)
        for operation in Self.lists {
            for limit in ["0", "1001", "-1", "9223372036854775807", "9223372036854775808", "1.5", "x", ""] {
                let answer = try await fixture.call(operation, Self.places, query: [("limit", limit)], token: token)
                #expect(answer.status == .badRequest, "\(operation.id), \(limit): \(answer.text)")
                let isNumber = Int(limit) != nil
                #expect(answer.refusal == (isNumber ? "admin.page" : "\(operation.engine).malformed"), "\(limit)")
            }
            for limit in ["1", "1000"] {
                #expect(
                    try await fixture.call(operation, Self.places, query: [("limit", limit)], token: token).status
                        == .ok)
            }
            for place in ["%", "not base64!", Data([0xff, 0xfe]).base64EncodedString(), "AAAA"] {
                let answer = try await fixture.call(operation, Self.places, query: [("after", place)], token: token)
                #expect(answer.status == .badRequest && answer.refusal == "admin.page", "\(operation.id), \(place)")
            }
        }
        // What is not a place in a list that is ordered by name and id.
        for text in ["", "name", "9 short", "-1 x", "99999999999999999999 x"] {
            let place = Data(text.utf8).base64EncodedString()
            let answer = try await fixture.call(
                IdentityAdmin.listGroups.operation, query: [("after", place)], token: token)
            #expect(answer.refusal == "admin.page", "\(text): \(answer.text)")
        }
        let sessions = try await fixture.call(
            IdentityAdmin.listSessions.operation, query: [("after", Data("1 xname".utf8).base64EncodedString())],
            token: token)
        #expect(sessions.refusal == "admin.page", "\(sessions.text)")
    }

    @Test func `the place in a list does not open another tenant's list`() async throws {
        let fixture = try await fixture()
        let other = try await fixture.acts.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        let stranger = try await fixture.token(
            of: try await fixture.person("stranger", .globalAdministrator, tenant: other))
        _ = try await fixture.acts.groups.add("Ward", mailNickname: "ward", description: nil, tenant: other.id)
        let own = try await fixture.token(of: fixture.admin)
        for operation in Self.lists {
            let first = try await fixture.call(operation, Self.places, query: [("limit", "1")], token: own)
            let rest = try await fixture.send(.get, try #require(try next(first)), token: stranger)
            #expect(rest.status == .ok && !rest.text.contains("contoso"), "\(operation.id): \(rest.text)")
            #expect(!rest.text.contains("name 1"), "\(operation.id): \(rest.text)")
        }
    }
}
