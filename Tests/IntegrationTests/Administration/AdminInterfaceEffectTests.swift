// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import HTTPTypes
import IdentityPlatform
import MDMServer
import OAuth
import Storage
import TestSupport
import Testing

/// The audit log contains what has changed. An act that changes nothing succeeds, and is not in the log.
@Suite struct AdminInterfaceEffectTests {
    private typealias Act = (operation: AdminOperation, places: [String: String], body: String?)

    private func log(_ fixture: TestAdministration) async throws -> [String] {
        let entries: [IdentityAdmin.AuditEntry] = try await fixture.operate(
            IdentityAdmin.listAuditEntries.operation, query: [("count", "10000")]
        ).decoded()
        return entries.map(\.action)
    }

    /// Acts in pairs with the actions that the first time writes. The second time must write none.
    private func acts(_ fixture: TestAdministration) async throws -> [(Act, actions: [String])] {
        let bo = ["user": fixture.bo.id.rawValue]
        let role = bo.merging(["role": "Cloud Device Administrator"]) { $1 }
        let client = ["client": try await fixture.application().client.id.rawValue]
        let permission = client.merging(["permission": "User.Read.All"]) { $1 }
        try await fixture.addDirectoryDevice(id: "0d0d0d0d-0000-4000-8000-000000000001", name: "tablet")
        let device = ["device": "0d0d0d0d-0000-4000-8000-000000000001"]
        let rules =
            #"{"rules":{"credentials":["password"],"wallSeconds":60,"poweredSeconds":60,"boots":1,"attempts":1}}"#
        return [
            ((IdentityAdmin.assignRole.operation, role, nil), ["role.assign"]),
            ((IdentityAdmin.unassignRole.operation, role, nil), ["role.unassign"]),
            ((IdentityAdmin.changeUser.operation, bo, #"{"surname":"Okafor"}"#), ["user.change"]),
            ((IdentityAdmin.changeUser.operation, bo, #"{"accountEnabled":false}"#), ["user.disable"]),
            ((IdentityAdmin.changeUser.operation, bo, #"{"accountEnabled":true}"#), ["user.enable"]),
            ((IdentityAdmin.changeClient.operation, client, #"{"accountEnabled":false}"#), ["client.disable"]),
            ((IdentityAdmin.changeClient.operation, client, #"{"accountEnabled":true}"#), ["client.enable"]),
            ((IdentityAdmin.grantApplicationPermission.operation, permission, nil), ["client.permission.grant"]),
            ((IdentityAdmin.revokeApplicationPermission.operation, permission, nil), ["client.permission.revoke"]),
            ((IdentityAdmin.changeDevice.operation, device, #"{"accountEnabled":false}"#), ["device.disable"]),
            ((IdentityAdmin.changeDevice.operation, device, #"{"accountEnabled":true}"#), ["device.enable"]),
            ((IdentityAdmin.setBranding.operation, [:], ##"{"colour":"#0b5cab"}"##), ["branding.set"]),
            ((IdentityAdmin.setBranding.operation, [:], "{}"), ["branding.set"]),
            ((IdentityAdmin.setOfflineSignIn.operation, [:], rules), ["offline.on"]),
            ((IdentityAdmin.setOfflineSignIn.operation, [:], #"{"rules":null}"#), ["offline.off"]),
            ((IdentityAdmin.revokeUserSessions.operation, bo, nil), ["user.sessions.revoke", "session.end"]),
        ]
    }

    @Test func `an act that changes nothing succeeds and writes no entry`() async throws {
        let fixture = try await TestAdministration()
        let acts = try await acts(fixture)
        _ = try await fixture.token(of: fixture.bo)
        // The person's sessions end when the account is disabled.
        for ((operation, places, body), actions) in acts {
            if operation.id == "revokeUserSessions" { _ = try await fixture.token(of: fixture.bo) }
            let before = try await log(fixture)
            let first = try await fixture.operate(operation, places, body: body)
            #expect(first.status == .noContent, "\(operation.id): \(first.text)")
            let between = try await log(fixture)
            let written = Set(between.dropFirst(before.count)).subtracting(
                operation.id == "revokeUserSessions" ? [] : ["session.end"])
            #expect(written == Set(actions), "\(operation.id) \(body ?? ""): \(written)")
            let second = try await fixture.operate(operation, places, body: body)
            #expect(second.status == .noContent, "\(operation.id): \(second.text)")
            let after = try await log(fixture)
            #expect(after == between, "\(operation.id) \(body ?? ""): \(after.dropFirst(between.count))")
        }
    }

    @Test func `an unlocking writes an entry only if wrong passwords were counted`() async throws {
        let fixture = try await TestAdministration()
        let places = ["user": fixture.bo.id.rawValue]
        func unlock() async throws -> Int {
            let answer = try await fixture.operate(IdentityAdmin.unlockUser.operation, places)
            #expect(answer.status == .noContent, "\(answer.text)")
            return try await log(fixture).count { $0 == "user.unlock" }
        }
        #expect(try await unlock() == 0)
        _ = try await fixture.tokenAnswer(
            fixture.tenant.id,
            [
                "grant_type": "password", "client_id": AdministrationApp.clientID,
                "scope": "\(TestAdministration.resource)/.default", "username": fixture.bo.userPrincipalName,
                "password": "wrong horse battery",
            ])
        #expect(try await unlock() == 1)
        #expect(try await unlock() == 1)
    }

    @Test func `a change through Graph that changes nothing writes no entry`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.graphToken()
        let group = try await fixture.acts.groups.add(
            "Ward", mailNickname: "ward", description: nil, tenant: fixture.tenant.id)
        for (method, path, body) in [
            (.patch, "/v1.0/users/bo@contoso.test", #"{"accountEnabled":true,"displayName":"bo"}"#),
            (.patch, "/v1.0/groups/\(group.id)", #"{"displayName":"Ward"}"#),
            (
                .put, "/v1.0/policies/deviceRegistrationPolicy",
                ##"{"azureADJoin":{"allowedToJoin":{"@odata.type":"#microsoft.graph.noDeviceRegistrationMembership"}}}"##
            ),
        ] as [(HTTPRequest.Method, String, String)] {
            _ = try await fixture.graph(method, path, token: token, body: body)
            let before = try await log(fixture)
            let answer = try await fixture.graph(method, path, token: token, body: body)
            #expect(answer.status.kind == .successful, "\(path): \(answer.text)")
            #expect(try await log(fixture) == before, "\(path)")
        }
    }
}
