// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import IdentityPlatform
import JSON
import OAuth
import Storage
import TestSupport
import Testing

@Suite struct GraphDirectoryTests {
    @Test func `a person created in Graph signs in, is changed, disabled and removed, and then has no session`()
        async throws
    {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture, .userAdministrator)
        let made = try await caller.send(
            .post, "/users",
            body: """
                {"accountEnabled":true,"displayName":"Cy","mailNickname":"cy","userPrincipalName":"cy@contoso.test",
                 "passwordProfile":{"password":"long enough","forceChangePasswordNextSignIn":false},"jobTitle":"Porter"}
                """)
        #expect(made.status == .created, "\(made.text)")
        let id = try #require(try made.json.values["id"]?.string)
        let browser = Browser(fixture)
        let code = try await browser.signIn(
            AuthorizeQuery(fixture), username: "cy@contoso.test", password: "long enough")[ParameterName.code]
        let tokens = try await fixture.redeem(code).json
        let bearer = try tokens.string(ReplyName.accessToken)
        #expect(try await fixture.me(bearer, select: "?$select=jobTitle").json.values["jobTitle"] == .string("Porter"))

        #expect(try await caller.send(.patch, "/users/\(id)", body: #"{"jobTitle":null}"#).status == .noContent)
        #expect(try await fixture.me(bearer).json.values["jobTitle"] == .null)
        #expect(try await caller.send(.patch, "/users/\(id)", body: #"{"accountEnabled":false}"#).status == .noContent)
        #expect(try await fixture.me(bearer).status == .unauthorized)
        #expect(try await fixture.refresh(try tokens.string(ReplyName.refreshToken)).errorNumber == 70000)
        #expect(try await caller.send(.delete, "/users/\(id)").status == .noContent)
        #expect(try await caller.send(.delete, "/users/\(id)").status == .notFound)
    }

    @Test(arguments: [
        #"{"displayName":"X","userPrincipalName":"x@contoso.test"}"#, "[]", "{", #"{"displayName":1}"#,
        #"{"displayName":"X","userPrincipalName":"x@other.test","passwordProfile":{"password":"long enough"}}"#,
        #"{"displayName":"X","userPrincipalName":"x@contoso.test","passwordProfile":{"password":"short"}}"#,
        #"{"displayName":"X","userPrincipalName":"x@contoso.test","passwordProfile":{"password":"long enough"},"id":"1"}"#,
        #"{"displayName":"X","mailNickname":"y","userPrincipalName":"x@contoso.test","passwordProfile":{"password":"long enough"}}"#,
        """
        {"displayName":"X","userPrincipalName":"x@contoso.test",
         "passwordProfile":{"password":"long enough","forceChangePasswordNextSignIn":true}}
        """,
        #"{"displayName":"X","userPrincipalName":"bo@contoso.test","passwordProfile":{"password":"long enough"}}"#,
    ])
    func `a person who cannot be created as requested is not created`(body: String) async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture, .userAdministrator)
        let answer = try await caller.send(.post, "/users", body: body)
        #expect(answer.status == (body.contains("bo@") ? .conflict : .badRequest), "\(answer.text)")
        #expect(try await caller.values("displayName", "/users").count == 2)
    }

    @Test func `only a Global Administrator may change a person who holds a role`() async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture, .userAdministrator)
        try await fixture.administration.users.assign(.globalReader, to: fixture.amara)
        let path = "/users/\(fixture.amara.id)"
        let password = #"{"passwordProfile":{"password":"mine from now on"}}"#
        #expect(try await caller.send(.patch, path, body: password).status == .forbidden)
        #expect(try await caller.send(.delete, path).status == .forbidden)
        #expect(try await caller.send(.post, path + "/revokeSignInSessions").status == .forbidden)
        try await fixture.administration.users.assign(.globalAdministrator, to: fixture.bo)
        #expect(try await caller.send(.patch, path, body: password).status == .noContent)
    }

    @Test func `the last Global Administrator is not disabled or removed, and keeps the role`() async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture, .globalAdministrator)
        let path = "/users/\(fixture.bo.id)"
        let member = "/directoryRoles/\(DirectoryRole.globalAdministrator.id)/members/\(fixture.bo.id)/$ref"
        let disabling = #"{"accountEnabled":false}"#
        for (method, path, body) in [
            (.patch, path, disabling), (.delete, path, nil), (.delete, member, nil),
        ] as [(HTTPRequest.Method, String, String?)] {
            let answer = try await caller.send(method, path, body: body)
            #expect(answer.status == .conflict, "\(answer.text)")
            let error = try #require(try answer.json.values["error"]?.object)
            #expect(error["code"] == .string("Request_BadRequest"), "\(answer.text)")
            #expect(error["message"]?.string?.contains("Global Administrator") == true, "\(answer.text)")
        }
        #expect(try await caller.send(.patch, path, body: #"{"jobTitle":"Porter"}"#).status == .noContent)
        try await fixture.administration.users.assign(.globalAdministrator, to: fixture.amara)
        #expect(try await caller.send(.delete, member).status == .noContent)
    }

    @Test func `revoking sign-in sessions ends all of them, even the caller's own`() async throws {
        let fixture = try await TestPlatform()
        let tokens = try await fixture.signedIn()
        let helper = try await GraphCaller(fixture, .helpdeskAdministrator)
        let answer = try await helper.send(.post, "/users/amara@contoso.test/revokeSignInSessions")
        #expect(answer.status == .ok, "\(answer.text)")
        #expect(try answer.json.values["value"] == .bool(true))
        #expect(try await fixture.me(try tokens.string(ReplyName.accessToken)).status == .unauthorized)
        #expect(try await fixture.refresh(try tokens.string(ReplyName.refreshToken)).errorNumber == 70000)
        #expect(try await helper.send(.post, "/me/revokeSignInSessions").status == .ok)
        #expect(try await helper.get("/me").status == .unauthorized)
    }

    @Test func `groups have members, and people can list their own groups`() async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture, .userAdministrator)
        let made = try await caller.send(
            .post, "/groups",
            body: """
                {"displayName":"Ward 7","mailNickname":"ward7","mailEnabled":false,"securityEnabled":true,"groupTypes":[]}
                """)
        #expect(made.status == .created, "\(made.text)")
        let group = "/groups/\(try #require(try made.json.values["id"]?.string))"
        let reference = #"{"@odata.id":"https://graph.microsoft.com/v1.0/directoryObjects/\#(fixture.amara.id)"}"#
        #expect(try await caller.send(.post, group + "/members/$ref", body: reference).status == .noContent)
        #expect(try await caller.send(.post, group + "/members/$ref", body: reference).status == .conflict)
        let members = try await caller.get(group + "/members?$select=id")
        #expect(try members.list.map { $0["@odata.type"] } == [.string("#microsoft.graph.user")])
        #expect(try await caller.get(group + "/members?$filter=displayName%20eq%20'x'").status == .badRequest)
        let amara = try await GraphCaller(fixture, .globalReader, as: fixture.amara)
        #expect(try await Set(amara.values("displayName", "/me/memberOf")) == ["Ward 7", "Global Reader"])
        for bad in [
            "https://evil.test/v1.0/users/\(fixture.bo.id)", "https://graph.test:8443/v1.0/groups/\(fixture.bo.id)",
            "x",
        ] {
            let answer = try await caller.send(.post, group + "/members/$ref", body: #"{"@odata.id":"\#(bad)"}"#)
            #expect(answer.status == .badRequest, "\(bad)")
        }
        #expect(try await caller.send(.patch, group, body: #"{"description":"Nights"}"#).status == .noContent)
        #expect(try await caller.get(group).json.values["description"] == .string("Nights"))
        let member = group + "/members/\(fixture.amara.id)/$ref"
        #expect(try await caller.send(.delete, member).status == .noContent)
        #expect(try await caller.send(.delete, member).status == .notFound)
        #expect(try await caller.send(.delete, group).status == .noContent)
        #expect(try await caller.get(group).status == .notFound)
        let mail = #"{"displayName":"M","mailNickname":"m","mailEnabled":true}"#
        #expect(try await caller.send(.post, "/groups", body: mail).status == .badRequest)
    }

    @Test func `roles are assigned and removed under either of their addresses`() async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture, .privilegedRoleAdministrator)
        let role = DirectoryRole.cloudDeviceAdministrator
        let reference = #"{"@odata.id":"https://graph.test:8443/v1.0/users/\#(fixture.amara.id)"}"#
        for (number, address) in [
            "/directoryRoles/\(role.id)", "/directoryRoles/roleTemplateId=\(role.id)",
            "/directoryRoles(roleTemplateId='\(role.id)')", "/directoryRoles(roleTemplateId=%27\(role.id)%27)",
        ].enumerated() {
            #expect(
                try await caller.get(address).json.values["roleTemplateId"] == .string(role.id.rawValue), "\(number)")
            #expect(try await caller.send(.post, address + "/members/$ref", body: reference).status == .noContent)
            #expect(try await caller.values("id", address + "/members") == [fixture.amara.id.rawValue])
            let member = address + "/members/\(fixture.amara.id)/$ref"
            #expect(try await caller.send(.delete, member).status == .noContent)
            #expect(try await caller.values("id", address + "/members").isEmpty)
        }
        let templates = try await caller.values("id", "/directoryRoleTemplates")
        #expect(Set(templates) == Set(DirectoryRole.all.map(\.id.rawValue)))
    }

    @Test func `a device is found by both ids, and its sessions end when it is disabled or removed`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let session = try await testDevice.session()
        #expect(try await session.use().status == .ok)
        let caller = try await GraphCaller(fixture, .intuneAdministrator)
        let device = try #require(try await caller.get("/devices").list.first)
        #expect(device["profileType"] == .string("Shared") && device["trustType"] == .string("AzureAd"))
        #expect(device["deviceId"] == .string(try testDevice.id) && device["id"] != device["deviceId"])
        let address = "/devices(deviceId='\(try testDevice.id)')"
        #expect(try await caller.get(address).json.values["id"] == device["id"])
        let path = "/devices/\(try #require(device["id"]?.string))"
        #expect(try await caller.get(path).status == .ok)
        let managed = try await caller.send(.patch, path, body: #"{"isManaged":true}"#)
        #expect(managed.status == .badRequest)
        #expect(try await caller.send(.patch, address, body: #"{"accountEnabled":false}"#).status == .noContent)
        #expect(try await session.use().status == .badRequest)
        #expect(
            try await caller.values("displayName", "/devices?$filter=accountEnabled%20eq%20false") == ["TestDevice 1"])
        #expect(try await caller.send(.delete, path).status == .noContent)
        #expect(try await caller.get(address).status == .notFound)
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(9, tenant: fixture.tenant.id) }
        let acts = lines.filter { $0.action.hasPrefix("device.") && $0.action != "device.join" }
        #expect(acts.map(\.action) == ["device.disable", "device.remove"])
        #expect(acts.allSatisfy { $0.actor == fixture.bo.id.rawValue })
    }

    @Test func `the log shows who did what in which request, and how they signed in`() async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture, .globalAdministrator)
        let correlation = "0af3c2b1-0000-4000-8000-0000000000c1"
        let name = HTTPField.Name("client-request-id")
        let answer = try await caller.send(
            .patch, "/users/amara@contoso.test", body: #"{"jobTitle":"Doctor"}"#,
            headers: [try #require(name): correlation])
        #expect(answer.status == .noContent)
        let line = try #require(
            try await caller.get("/auditLogs/directoryAudits?$filter=correlationId%20eq%20\(correlation)").list.first)
        #expect(line["activityDisplayName"] == .string("user.change"))
        #expect(line["initiatedBy"]?.object?["user"]?.object?["id"] == .string(fixture.bo.id.rawValue))
        #expect(line["targetResources"]?.array?.first?.object?["id"] == .string(fixture.amara.id.rawValue))
        let method = try #require(try await caller.get("/auditLogs/signIns?$top=1").list.first)
        #expect(method["clientAppUsed"] == .string("page") && method["userId"] == .string(fixture.bo.id.rawValue))
        let id = try #require(try await caller.values("id", "/auditLogs/directoryAudits?$top=1").first)
        #expect(try await caller.get("/auditLogs/directoryAudits/\(id)").json.values["id"] == .string(id))
        let positions = try await caller.values("id", "/auditLogs/directoryAudits?$top=3").compactMap { Int($0) }
        #expect(positions == positions.sorted(by: >) && positions.count == 3)
    }

    @Test func `the device registration policy is read and set, and applies to the next join`() async throws {
        let fixture = try await TestPlatform()
        let caller = try await GraphCaller(fixture, .cloudDeviceAdministrator)
        let path = "/policies/deviceRegistrationPolicy"
        let policy = try await caller.get(path).json
        #expect(policy.values["userDeviceQuota"] == .integer(50))
        let body = """
            {"userDeviceQuota":1,"azureADJoin":{"allowedToJoin":
             {"@odata.type":"#microsoft.graph.enumeratedDeviceRegistrationMembership","users":["\(fixture.bo.id)"],"groups":[]}}}
            """
        let set = try await caller.send(.put, path, body: body)
        #expect(set.status == .ok, "\(set.text)")
        #expect(try await caller.get(path).json == set.json)
        let testDevice = try TestDevice(fixture)
        #expect(
            try await testDevice.join(try await fixture.registrationToken("amara@contoso.test"), isShared: false).status
                == .forbidden)
        #expect(
            try await testDevice.join(try await fixture.registrationToken("bo@contoso.test"), isShared: false).status
                == .ok)
        for bad in [
            #"{"userDeviceQuota":-1}"#, #"{"multiFactorAuthConfiguration":"required"}"#, #"{"localAdminPassword":{}}"#,
            #"{"azureADJoin":{"allowedToJoin":{}}}"#,
        ] {
            #expect(try await caller.send(.put, path, body: bad).status == .badRequest, "\(bad)")
        }
        #expect(try await caller.get(path).json == set.json)
    }
}
