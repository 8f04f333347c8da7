// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import HTTPTypes
import IdentityPlatform
import OAuth
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// What a caller may still do if the caller's role, permission or session is lost between the check of the call and the
/// transaction of its act, in each engine.
@Suite struct AdminInterfaceRaceTests {
    /// An act in one engine, and how a test finds out that it happened.
    private struct Act: Sendable {
        let operation: AdminOperation
        let body: String
        let list: AdminOperation
        let permission: String
    }

    private static let directoryAct = Act(
        operation: IdentityAdmin.addGroup.operation, body: #"{"displayName":"Ward"}"#,
        list: IdentityAdmin.listGroups.operation, permission: "Group.ReadWrite.All")
    private static let managementAct = Act(
        operation: MDMAdmin.addEnrollment.operation, body: #"{"name":"tablet"}"#,
        list: MDMAdmin.listEnrollments.operation, permission: "DeviceManagementManagedDevices.ReadWrite.All")

    /// Sets work that is done between the check of the next call and the transaction of its act.
    private func between(
        _ act: Act, _ fixture: TestAdministration, _ work: @escaping @Sendable () async throws -> Void
    ) {
        guard act.operation.engine == "mdm" else { return fixture.beforeAct.set(work) }
        // The first write makes the organisation known to device management. The second one is the act.
        fixture.beforeManagementAct.set { fixture.beforeManagementAct.set(work) }
    }

    /// Makes a call whose caller loses something before its act. The act must be refused, and must not happen.
    private func expectRefusal(
        _ act: Act, _ fixture: TestAdministration, _ token: String, code: String, losing loss: String,
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        between(act, fixture, work)
        let answer = try await fixture.call(act.operation, token: token, body: act.body)
        #expect(answer.refusal == code, "\(act.operation.id), \(loss): \(answer.text)")
        let list = try await fixture.operate(act.list)
        #expect(list.text == "[]", "\(act.operation.id), \(loss): \(list.text)")
    }

    @Test func `a person's role, session or application that is lost before the act no longer counts`() async throws {
        for act in [Self.directoryAct, Self.managementAct] {
            let fixture = try await TestAdministration()
            let users = fixture.acts.users
            let admin = fixture.admin
            var token = try await fixture.token(of: admin)
            try await expectRefusal(act, fixture, token, code: "admin.role", losing: "the role") {
                try await users.unassign(.globalAdministrator, from: admin)
            }
            // Another role does not replace it.
            try await users.assign(.globalAdministrator, to: admin)
            try await expectRefusal(act, fixture, token, code: "admin.role", losing: "the role for another") {
                try await users.unassign(.globalAdministrator, from: admin)
                try await users.assign(.globalReader, to: admin)
            }
            try await users.assign(.globalAdministrator, to: admin)
            try await expectRefusal(act, fixture, token, code: "admin.token", losing: "the session") {
                try await users.revokeSessions(of: admin)
            }
            token = try await fixture.token(of: admin)
            try await expectRefusal(act, fixture, token, code: "admin.token", losing: "the account") {
                try await users.setEnabled(false, admin)
            }
            try await users.setEnabled(true, admin)
            token = try await fixture.token(of: admin)
            let tool = try #require(ClientID(rawValue: AdministrationApp.clientID))
            let tools = try await fixture.platform.database.read { [tenant = fixture.tenant.id] in
                try #require(try Clients($0).find(tool, tenant: tenant))
            }
            let clients = fixture.acts.clients
            try await expectRefusal(act, fixture, token, code: "admin.token", losing: "the application") {
                try await clients.setEnabled(false, tools)
            }
            try await clients.setEnabled(true, tools)
            // The same call is carried out if nothing is lost.
            let answer = try await fixture.call(act.operation, token: token, body: act.body)
            #expect(answer.status == .created, "\(answer.text)")
        }
    }

    @Test func `an application's permission that is revoked before the act no longer counts`() async throws {
        for act in [Self.directoryAct, Self.managementAct] {
            let fixture = try await TestAdministration()
            let application = try await fixture.application(act.permission)
            let clients = fixture.acts.clients
            let token = try await fixture.token(of: application)
            try await expectRefusal(act, fixture, token, code: "admin.token", losing: "the permission") {
                try await clients.revoke(act.permission, from: application.client)
            }
            try await clients.grant(act.permission, to: application.client)
            try await expectRefusal(act, fixture, token, code: "admin.token", losing: "the application") {
                try await clients.setEnabled(false, application.client)
            }
            try await clients.setEnabled(true, application.client)
            #expect(try await fixture.call(act.operation, token: token, body: act.body).status == .created)
            try await clients.revoke(act.permission, from: application.client)
            #expect(try await fixture.call(act.operation, token: token, body: act.body).refusal == "admin.permission")
        }
    }

    @Test func `break-glass access that ends before the act no longer counts`() async throws {
        for act in [Self.directoryAct, Self.managementAct] {
            let fixture = try await TestAdministration()
            let token = try await fixture.token(of: fixture.bo)
            let grant = try await fixture.acts.breakGlass.grant(
                .globalAdministrator, to: fixture.bo, minutes: 10, reason: "the directory is on fire", by: "uid=0")
            let breakGlass = fixture.acts.breakGlass
            let revoke: @Sendable () async throws -> Void = {
                try await breakGlass.revoke(grant.id, tenant: fixture.tenant.id)
            }
            if act.operation.engine == "mdm" {
                try await expectRefusal(act, fixture, token, code: "admin.role", losing: "the grant", revoke)
            } else {
                // The first write of the directory records the use.
                try await expectRefusal(act, fixture, token, code: "admin.role", losing: "the grant") {
                    fixture.beforeAct.set(revoke)
                }
            }
        }
    }

    @Test func `a step-up that ends before the act no longer counts`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        fixture.clock.advance(by: .seconds(300))
        let clock = fixture.clock
        fixture.beforeAct.set { clock.advance(by: .seconds(1)) }
        let answer = try await fixture.call(
            IdentityAdmin.removeUser.operation, ["user": fixture.bo.id.rawValue], token: token)
        #expect(answer.refusal == "admin.stepUp", "\(answer.text)")
        let bo = try await fixture.operate(IdentityAdmin.getUser.operation, ["user": fixture.bo.id.rawValue])
        #expect(bo.status == .ok)
    }
}
