// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import HTTPTypes
import IdentityPlatform
import MDMServer
import Storage
import TestSupport
import Testing

/// Conditions of changes (`If-Match`): an administrator does not undo what another one has done meanwhile.
@Suite struct AdminInterfaceConditionTests {
    private static let directoryDevice = "0d0d0d0d-0000-4000-8000-000000000001"
    private static let udid = "0D0D0D0D-0000-4000-8000-000000000002"

    /// A change of an object, and another change that somebody else makes before it.
    private struct Case: Sendable {
        let operation: AdminOperation
        let body: String?
        /// The operation that reads the object.
        let reading: AdminOperation
        let places: [String: String]
        let interference: AdminOperation
        let otherPlaces: [String: String]
        let otherBody: String?
        /// The members that the other change changes.
        let changed: [String]

        init<A, B, C, D>(
            _ operation: Endpoint<A, Empty>, _ body: String?, of reading: Endpoint<Empty, B>,
            _ places: [String: String],
            after interference: Endpoint<C, D>, _ otherPlaces: [String: String], _ otherBody: String?,
            changed: String...
        ) {
            (self.operation, self.body, self.reading) = (operation.operation, body, reading.operation)
            (self.places, self.otherPlaces) = (places, otherPlaces)
            (self.interference, self.otherBody, self.changed) = (interference.operation, otherBody, changed)
        }
    }

    private static let cases: [Case] = {
        let bo = ["user": "bo@contoso.test"]
        let client = ["client": "6c5f1a52-0000-4000-8000-0000000000cc"]
        let (group, device, managed) = (["group": "Ward"], ["device": directoryDevice], ["device": udid])
        let member = ["group": "Ward", "user": "bo@contoso.test"]
        let offline =
            #"{"rules":{"credentials":["password"],"wallSeconds":3600,"poweredSeconds":3600,"boots":2,"attempts":5}}"#
        return [
            Case(
                IdentityAdmin.changeUser, #"{"jobTitle":"Nurse"}"#, of: IdentityAdmin.getUser, bo,
                after: IdentityAdmin.changeUser, bo, #"{"mobilePhone":"1","surname":"B"}"#,
                changed: "mobilePhone", "surname"),
            Case(
                IdentityAdmin.removeUser, nil, of: IdentityAdmin.getUser, bo,
                after: IdentityAdmin.assignRole, bo.merging(["role": "Global Reader"]) { $1 }, nil, changed: "roles"),
            Case(
                IdentityAdmin.changeClient, #"{"accountEnabled":true}"#, of: IdentityAdmin.getClient, client,
                after: IdentityAdmin.changeClient, client, #"{"accountEnabled":false}"#, changed: "accountEnabled"),
            Case(
                IdentityAdmin.removeClient, nil, of: IdentityAdmin.getClient, client,
                after: IdentityAdmin.changeClient, client, #"{"accountEnabled":false}"#, changed: "accountEnabled"),
            Case(
                IdentityAdmin.removeGroup, nil, of: IdentityAdmin.getGroup, group,
                after: IdentityAdmin.addGroupMember, member, nil, changed: "members"),
            Case(
                IdentityAdmin.changeDevice, #"{"accountEnabled":true}"#, of: IdentityAdmin.getDevice, device,
                after: IdentityAdmin.changeDevice, device, #"{"accountEnabled":false}"#, changed: "accountEnabled"),
            Case(
                IdentityAdmin.removeDevice, nil, of: IdentityAdmin.getDevice, device,
                after: IdentityAdmin.changeDevice, device, #"{"accountEnabled":false}"#, changed: "accountEnabled"),
            Case(
                IdentityAdmin.setBranding, ##"{"colour":"#0b5cab"}"##, of: IdentityAdmin.getBranding, [:],
                after: IdentityAdmin.setBranding, [:], ##"{"colour":"#7a1f3d"}"##, changed: "colour"),
            Case(
                IdentityAdmin.setOfflineSignIn, #"{"rules":null}"#, of: IdentityAdmin.getOfflineSignIn, [:],
                after: IdentityAdmin.setOfflineSignIn, [:], offline, changed: "rules"),
            Case(
                MDMAdmin.unenrollDevice, nil, of: MDMAdmin.getManagedDevice, managed,
                after: MDMAdmin.queryInventory, managed, nil, changed: "waiting"),
        ]
    }()

    /// Makes the objects of the cases.
    private func fixture() async throws -> TestAdministration {
        let fixture = try await TestAdministration()
        let tenant = fixture.tenant
        _ = try await fixture.acts.clients.add(
            NewClient(
                id: ClientID(rawValue: "6c5f1a52-0000-4000-8000-0000000000cc"), displayName: "Rounds",
                redirectURIs: ["https://app.test/cb"]), tenant: tenant)
        _ = try await fixture.acts.groups.add("Ward", mailNickname: "ward", description: nil, tenant: tenant.id)
        try await fixture.addDirectoryDevice(id: Self.directoryDevice, name: "tablet-1")
        try await fixture.addManagedDevice(udid: Self.udid, name: "tablet-1")
        return fixture
    }

    private func tag(_ item: Case, _ fixture: TestAdministration, _ token: String) async throws -> String {
        let answer = try await fixture.call(item.reading, item.places, token: token)
        let tag = try #require(answer.headers[.eTag], "\(item.reading.id): \(answer.text)")
        #expect(tag.count > 2 && tag.hasPrefix("\"") && tag.hasSuffix("\""))
        return tag
    }

    @Test func `a change with the tag of an older state is refused and names what changed, in every such operation`()
        async throws
    {
        let declared = AdminOperation.all.filter(\.isConditional).map(\.id)
        #expect(Set(Self.cases.map(\.operation.id)) == Set(declared))
        for item in Self.cases {
            let fixture = try await fixture()
            let token = try await fixture.token(of: fixture.admin)
            let first = try await tag(item, fixture, token)
            #expect(try await tag(item, fixture, token) == first, "\(item.reading.id)")
            let other = try await fixture.call(
                item.interference, item.otherPlaces, token: token, body: item.otherBody)
            #expect(other.status.kind == .successful, "\(item.interference.id): \(other.text)")
            let second = try await tag(item, fixture, token)
            #expect(second != first)
            let refused = try await fixture.call(
                item.operation, item.places, token: token, headers: [.ifMatch: first], body: item.body)
            #expect(refused.status == .preconditionFailed, "\(item.operation.id): \(refused.text)")
            #expect(refused.failure?.code == "admin.changed" && refused.failure?.changed == item.changed)
            #expect(try await tag(item, fixture, token) == second, "\(item.operation.id)")
            // The newer tag is right, also beside others.
            let accepted = try await fixture.call(
                item.operation, item.places, token: token, headers: [.ifMatch: "\(first) , \(second)"], body: item.body)
            #expect(accepted.status == .noContent, "\(item.operation.id): \(accepted.text)")
        }
    }

    @Test func `a condition that cannot be read is refused, and so is one that an operation does not take`()
        async throws
    {
        let fixture = try await fixture()
        let token = try await fixture.token(of: fixture.admin)
        let item = try #require(Self.cases.first)
        let tag = try await tag(item, fixture, token)
        for condition in [
            "", "x", "\"\"", "\"x\"", "W/\(tag)", String(tag.dropLast()) + "AAAA", "*, \(tag)",
            Array(repeating: tag, count: 11).joined(separator: ","),
            "\"\(String(repeating: "AAAAAAAAAAAA", count: 65))\"",
        ] {
            let answer = try await fixture.call(
                item.operation, item.places, token: token, headers: [.ifMatch: condition], body: item.body)
            #expect([.badRequest, .preconditionFailed].contains(answer.status), "\(condition): \(answer.text)")
            #expect(["admin.condition", "admin.changed"].contains(answer.refusal), "\(condition)")
        }
        #expect(try await self.tag(item, fixture, token) == tag)
        let any = try await fixture.call(
            item.operation, item.places, token: token, headers: [.ifMatch: "*"], body: item.body)
        #expect(any.status == .noContent, "\(any.text)")
        for operation in AdminOperation.all where operation.access != .serverOnly && !operation.isConditional {
            let answer = try await fixture.call(
                operation, Attempt.places(of: operation), query: Attempt.query(of: operation), token: token,
                headers: [.ifMatch: tag], body: Attempt.body(of: operation))
            #expect(answer.refusal == "admin.condition" && answer.status == .badRequest, "\(operation.id)")
        }
    }

    @Test func `of two administrators who change one object at once, one is told what the other changed`() async throws
    {
        let fixture = try await fixture()
        let tokens = [
            try await fixture.token(of: fixture.admin),
            try await fixture.token(of: try await fixture.person("second", .globalAdministrator)),
        ]
        let item = try #require(Self.cases.first)
        let tag = try await tag(item, fixture, tokens[0])
        let answers = try await withThrowingTaskGroup(of: TestResponse.self) { group in
            for (number, token) in tokens.enumerated() {
                group.addTask {
                    try await fixture.call(
                        item.operation, item.places, token: token, headers: [.ifMatch: tag],
                        body: "{\"jobTitle\":\"Title \(number)\"}")
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.map(\.status)) == [.noContent, .preconditionFailed])
        #expect(answers.first { $0.status == .preconditionFailed }?.failure?.changed == ["jobTitle"])
    }
}

extension TestAdministration {
    /// Adds a device to the directory.
    func addDirectoryDevice(id: String, name: String) async throws {
        try await platform.database.write { [tenant = tenant.id] connection in
            try connection.execute(
                """
                INSERT INTO device (tenant, id, objectID, displayName, operatingSystem, operatingSystemVersion,
                    trustType, profileType, accountEnabled, isManaged, certificateHash, certificateExpires,
                    deviceKey, transportKey, registered)
                VALUES (\(tenant), \(id), \(id), \(name), 'Linux', '12', 'AzureAd', 'Shared', 1, 1,
                    \(Array(id.utf8)), 1, \([UInt8(1)]), \([UInt8(1)]), 1)
                """)
        }
    }

    /// Adds an enrolled device to device management.
    func addManagedDevice(udid: String, name: String) async throws {
        try await management.database.write { [tenant = tenant.id] connection in
            try connection.execute(
                """
                INSERT INTO enrollment (tenant, id, name, fingerprint, state, udid, createdAt, expiresAt)
                VALUES (\(tenant), \("e" + udid), \(name), \("f" + udid), 'bound', \(udid), 0, \(Int64.max))
                """)
            try connection.execute(
                """
                INSERT INTO device (tenant, udid, enrollment, name, state, changedAt)
                VALUES (\(tenant), \(udid), \("e" + udid), \(name), 'enrolled', 0)
                """)
        }
    }
}
