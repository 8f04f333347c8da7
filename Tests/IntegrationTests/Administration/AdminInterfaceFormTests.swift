// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Foundation
import HTTPTypes
import IdentityPlatform
import MDMServer
import OAuth
import Storage
import TestSupport
import Testing

/// The form of requests: bodies where none belongs, texts that nobody can see, bytes that are not UTF-8, and numbers.
@Suite struct AdminInterfaceFormTests {
    /// A name for each place in the paths of all operations. No object with such a name has to exist.
    private static let places = [
        "user": "bo@contoso.test", "session": "x", "group": "Ward", "role": "Global Reader", "client": "x",
        "secret": "x", "key": "x", "permission": "User.Read.All", "subject": "x", "grant": "x", "device": "x",
        "enrollment": "x", "profile": "x", "app": "x",
    ]

    // MARK: Bodies where none belongs

    @Test func `an operation without a body refuses one, and does nothing`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        _ = try await fixture.acts.groups.add("Ward", mailNickname: "w", description: nil, tenant: fixture.tenant.id)
        for operation in AdminOperation.all where operation.body() == nil && operation.access != .serverOnly {
            for body in [#"{"x":1}"#, "[]", "null", " "] {
                let refused = try await fixture.call(operation, Self.places, token: token, body: body)
                #expect(
                    refused.status == .badRequest && refused.refusal == "admin.body",
                    "\(operation.id) \(body): \(refused.status) \(refused.text)")
            }
        }
        for operation in AdminOperation.all where operation.body() == nil {
            let refused = try await fixture.operate(operation, Self.places, body: #"{"x":1}"#)
            #expect(refused.refusal == "admin.body", "\(operation.id): \(refused.status) \(refused.text)")
        }
        let group = try await fixture.operate(IdentityAdmin.getGroup.operation, Self.places)
        #expect(group.status == .ok)
        let removed = try await fixture.call(IdentityAdmin.removeGroup.operation, Self.places, token: token, body: "{}")
        #expect(removed.status == .noContent, "\(removed.text)")
    }

    // MARK: Texts that nobody can see

    private static let invisible = [
        " ", "   ", "\u{a0}", "\u{200c}", "\u{200d}", "\u{2800}", "\u{fe0f}", "\u{e0100}", "\u{2003}", "\u{3000}",
        "\u{1680}", "\u{202f}", "\u{205f}", " \u{200d}\u{fe0f}\u{2800}\u{a0} ", "\u{1d159}",
    ]

    @Test func `a text has a visible character, or nothing at all where it may be empty`() async throws {
        let fixture = try await TestAdministration()
        func send(_ operation: AdminOperation, _ members: [String: any Sendable]) async throws -> TestResponse {
            let body = String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
            return try await fixture.operate(operation, ["user": "bo@contoso.test", "client": client], body: body)
        }
        let client = try await fixture.application().client.id.rawValue
        let (user, group) = (IdentityAdmin.changeUser.operation, IdentityAdmin.addGroup.operation)
        for text in Self.invisible {
            let scalars = text.unicodeScalars.map { String($0.value, radix: 16) }
            for (operation, members, code) in [
                (group, ["displayName": text], "identity.display.name"),
                (group, ["displayName": "Ward", "description": text], "identity.text.malformed"),
                (group, ["displayName": "Ward", "description": "\n\(text)\n"], "identity.text.malformed"),
                (
                    IdentityAdmin.addUser.operation,
                    [
                        "userPrincipalName": "eve@contoso.test", "displayName": text,
                        "password": TestAdministration.password,
                    ], "identity.display.name"
                ),
                (user, ["displayName": text], "identity.display.name"),
                (user, ["givenName": text], "identity.text.malformed"),
                (user, ["surname": text], "identity.text.malformed"),
                (user, ["jobTitle": text], "identity.text.malformed"),
                (user, ["mobilePhone": text], "identity.text.malformed"),
                (
                    IdentityAdmin.addClient.operation, ["displayName": text, "redirectURIs": [String]()],
                    "identity.display.name"
                ),
                (
                    IdentityAdmin.addTenant.operation, ["displayName": text, "domain": "fabrikam.test"],
                    "identity.display.name"
                ),
                (
                    IdentityAdmin.grantBreakGlass.operation,
                    ["user": "bo@contoso.test", "minutes": 30, "reason": String(repeating: text, count: 12)],
                    "identity.breakGlass.reason"
                ),
                (MDMAdmin.addEnrollment.operation, ["name": text], "mdm.name"),
                (
                    MDMAdmin.addApp.operation,
                    ["path": "/nonexistent", "bundleIdentifier": "org.contoso.app", "version": "1", "title": text],
                    "mdm.app.name"
                ),
            ] as [(AdminOperation, [String: any Sendable], String)] {
                let answer = try await send(operation, members)
                #expect(answer.refusal == code, "\(operation.id) \(scalars): \(answer.status) \(answer.text)")
            }
        }
        for (member, text) in [
            ("jobTitle", ""), ("displayName", " Ada "), ("displayName", "\u{301}"), ("surname", "⠿"),
        ] {
            #expect(try await send(user, [member: text]).status == .noContent, "\(member) \(text)")
        }
    }

    @Test func `the document's rule for a text agrees with the server's`() throws {
        for kind in [ShownText.displayName, .jobTitle, .description, .managedName] {
            let rule = try NSRegularExpression(pattern: kind.pattern)
            let texts =
                Self.invisible + ["", "Ada", " Ada ", "a\u{200d}", "\u{fe0f}❤", "a\u{202e}", "a\nb", "\n", "\u{7}"]
            for text in texts where text.unicodeScalars.allSatisfy({ $0.value <= 0xffff }) && !text.isEmpty {
                let whole = NSRange(text.startIndex..., in: text)
                let matches = rule.firstMatch(in: text, range: whole)?.range == whole
                let scalars = text.unicodeScalars.map { String($0.value, radix: 16) }
                #expect(matches == kind.accepts(text), "\(kind.name) \(scalars)")
            }
        }
    }

    @Test func `a group of a name without Latin letters gets a nickname, and keeps its name`() async throws {
        let fixture = try await TestAdministration()
        for name in ["病棟", "Палата", "⛑", "-"] {
            let body = #"{"displayName":"\#(name)"}"#
            let made = try await fixture.operate(IdentityAdmin.addGroup.operation, body: body)
            #expect(made.status == .created, "\(name): \(made.text)")
            #expect(try made.decoded(IdentityAdmin.Group.self).displayName == name)
        }
        let given = try await fixture.operate(
            IdentityAdmin.addGroup.operation, body: #"{"displayName":"病棟","mailNickname":""}"#)
        #expect(given.refusal == "identity.group.nickname", "\(given.text)")
    }

    // MARK: Bytes that are not UTF-8

    @Test func `a query that is not UTF-8 is refused, and so is a path or a body`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        for (path, code) in [
            ("/identity/tenants/-/groups?startsWith=%ff", "admin.query"),
            ("/identity/tenants/-/groups?startsWith=Stra%df", "admin.query"),
            ("/identity/tenants/-/groups?startsWith=%c0%af", "admin.query"),
            ("/identity/tenants/-/groups?startsWith=%ed%a0%80", "admin.query"),
            ("/identity/tenants/-/groups?startsWith=%", "admin.query"),
            ("/identity/tenants/-/groups?startsWith=%4", "admin.query"),
            ("/identity/tenants/-/groups?startsWith=%zz", "admin.query"),
            ("/identity/tenants/-/sessions?user=%ff@contoso.test", "admin.query"),
            ("/identity/tenants/-/groups?after=%ff", "admin.query"),
            ("/identity/tenants/-/groups?%ff=1", "admin.query"),
            ("/identity/tenants/-/groups/%ff", "identity.malformed"),
            ("/mdm/tenants/-/devices/Stra%df", "mdm.malformed"),
            ("/mdm/tenants/-/devices?startsWith=%ff", "admin.query"),
        ] {
            for answer in [
                try await fixture.send(.get, path, token: token), try await fixture.operate(.get, path),
            ] {
                #expect(answer.status == .badRequest && answer.refusal == code, "\(path): \(answer.text)")
            }
        }
        let page = try await fixture.operate(.get, "/identity/tenants/-/groups?startsWith=%e7%97%85")
        #expect(page.status == .ok, "\(page.text)")
    }

    // MARK: Numbers and members

    @Test func `a number in a query has digits only`() async throws {
        let fixture = try await TestAdministration()
        for limit in ["+5", "-5", "05x", "5.0", "%2B5", "", "٥", "1_000"] {
            for path in ["/identity/tenants/-/users?limit=\(limit)", "/identity/tenants/-/audit?count=\(limit)"] {
                let answer = try await fixture.operate(.get, path)
                #expect(
                    answer.refusal == "identity.malformed" || answer.refusal == "admin.page", "\(path): \(answer.text)")
            }
        }
        let export = try await fixture.operate(.get, "/identity/tenants/-/audit/export?from=+1&to=2")
        #expect(export.refusal == "identity.malformed", "\(export.text)")
        #expect(try await fixture.operate(.get, "/identity/tenants/-/users?limit=5").status == .ok)
    }

    @Test func `a change whose members are all null is refused, and the refusal names them`() async throws {
        let fixture = try await TestAdministration()
        let change = IdentityAdmin.changeUser.operation
        for (body, named) in [
            (#"{"jobTitle":null}"#, "jobTitle"),
            (#"{"jobTitle":null,"accountEnabled":null}"#, "accountEnabled, jobTitle"),
        ] {
            let answer = try await fixture.operate(change, ["user": "bo@contoso.test"], body: body)
            #expect(answer.refusal == "identity.malformed", "\(answer.text)")
            #expect(answer.failure?.message.contains(named) == true, "\(answer.text)")
            #expect(answer.failure?.remedy.contains("\"\"") == true, "\(answer.text)")
        }
        let empty = try await fixture.operate(change, ["user": "bo@contoso.test"], body: "{}")
        #expect(empty.refusal == "identity.malformed" && empty.failure?.message.contains("no member") == true)
    }

    @Test func `an integer that a device cannot get unchanged is refused in an app's configuration`() async throws {
        let fixture = try await TestAdministration()
        try await fixture.addManagedDevice(udid: "00000000-0000-4000-8000-000000000001", name: "tablet")
        let places = ["device": "tablet", "app": "org.contoso.rounds"]
        for number in [
            "18446744073709551615", "9223372036854775808", "-9223372036854775809", "123456789012345678901234567890",
        ] {
            for body in [#"{"quota":\#(number)}"#, #"{"nested":{"list":[1,\#(number)]}}"#] {
                let answer = try await fixture.operate(MDMAdmin.configureApp.operation, places, body: body)
                #expect(answer.refusal == "mdm.malformed", "\(body): \(answer.status) \(answer.text)")
                #expect(answer.failure?.message.contains(number) == false)
            }
        }
        for number in ["9223372036854775807", "-9223372036854775808", "1.5", "1e3"] {
            let answer = try await fixture.operate(
                MDMAdmin.configureApp.operation, places, body: #"{"quota":\#(number)}"#)
            #expect(answer.status.kind == .successful, "\(number): \(answer.text)")
        }
    }

    @Test func `a profile for single sign-on names at least one address`() async throws {
        let fixture = try await TestAdministration()
        let answer = try await fixture.operate(MDMAdmin.addProfile.operation, body: #"{"sharedDevice":{"urls":[]}}"#)
        #expect(answer.refusal == "mdm.profile.refused", "\(answer.text)")
    }

    @Test func `the place in one list is not a place in another one`() async throws {
        let fixture = try await TestAdministration()
        for name in ["a", "b", "c"] {
            _ = try await fixture.acts.groups.add(name, mailNickname: name, description: nil, tenant: fixture.tenant.id)
        }
        for path in ["clients", "groups"] {
            let first = try await fixture.operate(.get, "/identity/tenants/-/\(path)?limit=1")
            let link = try #require(first.headers[AdminFieldName.link.field])
            let after = try #require(link.firstMatch(of: /after=([^&>]*)/)).output.1
            for other in ["users", "clients", "groups", "devices", "sessions"] {
                let answer = try await fixture.operate(.get, "/identity/tenants/-/\(other)?after=\(after)")
                #expect(other == path ? answer.status == .ok : answer.refusal == "admin.page", "\(path) at \(other)")
            }
            for other in ["devices", "profiles", "apps", "enrollments"] {
                let answer = try await fixture.operate(.get, "/mdm/tenants/-/\(other)?after=\(after)")
                #expect(answer.refusal == "admin.page", "\(path) at \(other): \(answer.text)")
            }
        }
    }

    // MARK: Remedies

    @Test func `who administers one organisation is not told to list all`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        for path in ["/identity/tenants/fabrikam.test/users", "/mdm/tenants/fabrikam.test/devices"] {
            let remote = try await fixture.send(.get, path, token: token)
            #expect(remote.refusal?.hasSuffix(".tenant.missing") == true, "\(remote.text)")
            #expect(remote.failure?.remedy.contains("tenant list") == false, "\(remote.text)")
            let local = try await fixture.operate(.get, path)
            #expect(local.failure?.remedy.contains("tenant list") == true, "\(local.text)")
        }
    }

    @Test func `a request to another host gets a code and a remedy`() async throws {
        let fixture = try await TestAdministration()
        let answer = try await fixture.send(.get, "/openapi.json", host: "evil.test", token: nil)
        #expect(answer.status == .misdirectedRequest && answer.refusal == "admin.host", "\(answer.text)")
        #expect(answer.failure?.remedy.isEmpty == false && !answer.text.contains("evil"))
    }

    // MARK: Clients

    @Test func `a client has two secrets at a time`() async throws {
        let fixture = try await TestAdministration()
        let places = ["client": try await fixture.application().client.id.rawValue]
        func add() async throws -> TestResponse {
            try await fixture.operate(IdentityAdmin.addClientSecret.operation, places)
        }
        let first = try await add().decoded(IdentityAdmin.ClientSecret.self).id
        #expect(try await add().status == .created)
        let third = try await add()
        #expect(third.status == .conflict && third.refusal == "identity.client.secrets", "\(third.text)")
        let removed = try await fixture.operate(
            IdentityAdmin.removeClientSecret.operation, places.merging(["secret": first]) { $1 })
        #expect(removed.status == .noContent)
        #expect(try await add().status == .created)
        // An expired secret does not count.
        fixture.clock.advance(by: .seconds(3 * 365 * 86_400))
        #expect(try await add().status == .created)
    }

    @Test func `an id that the server gives to its own clients and resources is not for others`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        let own = [
            AdministrationApp.clientID, CommandLineApp.clientID, HomeScreenApp.clientID, WellKnownApplication.broker,
        ]
        let resources = [
            ResourceCatalogue.administrationApplication, ResourceCatalogue.graphApplication,
            ResourceCatalogue.deviceRegistrationApplication,
        ].map(\.rawValue)
        let foreign = ["04b07795-8ddb-461a-bbee-02f9e1bf7b46", "9BA1A5C7-F17A-4DE9-A1F1-6178C8D51223"]
        for id in own + resources + foreign {
            let body = #"{"id":"\#(id)","displayName":"Evil","redirectURIs":["https://evil.test/cb"]}"#
            for answer in [
                try await fixture.call(IdentityAdmin.addClient.operation, token: token, body: body),
                try await fixture.operate(IdentityAdmin.addClient.operation, body: body),
            ] {
                #expect(answer.refusal == "identity.client.id", "\(id): \(answer.status) \(answer.text)")
            }
        }
        for id in own {
            for answer in [
                try await fixture.call(IdentityAdmin.removeClient.operation, ["client": id], token: token),
                try await fixture.operate(IdentityAdmin.removeClient.operation, ["client": id]),
            ] {
                #expect(answer.status == .conflict && answer.refusal == "identity.client.own", "\(id): \(answer.text)")
                #expect(answer.failure?.remedy.contains("client disable") == true)
            }
        }
    }

    @Test func `what an earlier version removed of the server's own clients comes back with those of other makers`()
        async throws
    {
        let fixture = try await TestAdministration()
        try await fixture.platform.database.write { connection in
            try connection.execute("DELETE FROM client WHERE id = \(AdministrationApp.clientID)")
        }
        let added: [IdentityAdmin.Client] = try await fixture.operate(
            IdentityAdmin.addCompatibilityClients.operation
        ).decoded()
        let client = try #require(added.first { $0.id == AdministrationApp.clientID })
        #expect(client.redirectURIs == [AdministrationApp.redirectURI])
        #expect(
            try await fixture.call(
                IdentityAdmin.listUsers.operation, token: try await fixture.token(of: fixture.admin)
            ).status == .ok)
        // A client of other makers can be removed, and added again.
        let office = ["client": "d3590ed6-52b3-4102-aeff-aad2292ab01c"]
        #expect(try await fixture.operate(IdentityAdmin.removeClient.operation, office).status == .noContent)
        let again: [IdentityAdmin.Client] = try await fixture.operate(
            IdentityAdmin.addCompatibilityClients.operation
        ).decoded()
        #expect(again.map(\.displayName) == ["Office"])
    }
}
