// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Foundation
import HTTPTypes
import IdentityPlatform
import Storage
import TestSupport
import Testing

/// Paths, queries and bodies that the administration does not accept, in both engines and on both interfaces.
@Suite struct AdminInterfaceInputTests {
    /// Sends a request through both interfaces.
    private func answers(
        _ method: HTTPRequest.Method, _ path: String, _ fixture: TestAdministration, token: String,
        body: String? = nil
    ) async throws -> [TestResponse] {
        [
            try await fixture.send(method, path, token: token, body: body),
            try await fixture.operate(method, path, body: body),
        ]
    }

    // MARK: Paths

    @Test func `a path with an empty segment or a dot segment is refused, and nothing is done`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        let sessions = try await fixture.person("sessions", .directoryReaders)
        let name = sessions.userPrincipalName
        for (method, path, code) in [
            (.delete, "/identity/tenants/-/users//\(name)", "identity"),
            (.delete, "/identity/tenants/-//users/\(name)", "identity"),
            (.delete, "//identity/tenants/-/users/\(name)", "identity"),
            (.delete, "/identity/tenants/-/users/\(name)/", "identity"),
            (.get, "/identity/tenants/-/users/", "identity"), (.get, "/identity/tenants/-/users//", "identity"),
            (.get, "/identity/tenants/-/./users", "identity"), (.get, "/identity/tenants/-/users/..", "identity"),
            (.get, "/identity/tenants/-/users/%2e%2E", "identity"), (.get, "/identity/./", "identity"),
            (.get, "/mdm/tenants/-/devices/", "mdm"), (.get, "//mdm/tenants/-/devices", "mdm"),
            (.delete, "/mdm/tenants/-//devices/x", "mdm"), (.get, "/mdm/tenants/../devices", "mdm"),
            (.get, "//nothing", "identity"),
        ] as [(HTTPRequest.Method, String, String)] {
            for answer in try await answers(method, path, fixture, token: token) {
                #expect(
                    answer.status == .badRequest && answer.refusal == "\(code).malformed",
                    "\(method) \(path): \(answer.status) \(answer.text)")
            }
        }
        let present = try await fixture.operate(IdentityAdmin.getUser.operation, ["user": name])
        #expect(present.status == .ok)
    }

    // MARK: Queries

    @Test func `a parameter that is unknown or repeated is refused by its name`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        for (method, path, name) in [
            (.get, "/identity/tenants/-/sessions?usr=bo@contoso.test", "usr"),
            (.get, "/identity/tenants/-/sessions?user=bo@contoso.test&user=admin@contoso.test", "user"),
            (.get, "/identity/tenants/-/users?limit=1&limit=1000", "limit"),
            (.get, "/identity/tenants/-/users?Limit=1", "Limit"),
            (.get, "/identity/tenants/-/users?%6cimit=1", "limit"),
            (.get, "/identity/tenants/-/users?limit=1&x", "x"),
            (.delete, "/identity/tenants/-/users/x?force=1", "force"),
            (.post, "/mdm/tenants/-/profiles?replase=true", "replase"), (.get, "/mdm/tenants/-/devices?a=&a=", "a"),
            (.get, "/openapi.json?x=1", "x"),
        ] as [(HTTPRequest.Method, String, String)] {
            for answer in try await answers(method, path, fixture, token: token) {
                #expect(answer.status == .badRequest && answer.refusal == "admin.query", "\(path): \(answer.text)")
                let failure = answer.failure
                #expect(failure?.message.contains(name) == true && failure?.remedy.contains(name) == true, "\(path)")
            }
        }
        for answer in try await answers(.get, "/identity/tenants/-/users?%1b%5b=1", fixture, token: token) {
            #expect(answer.refusal == "admin.query" && !answer.text.contains("\\u001b"), "\(answer.text)")
        }
        for query in ["?limit=1", "?", "?&limit=1&"] {
            let answer = try await fixture.operate(.get, "/identity/tenants/-/sessions\(query)")
            #expect(answer.status == .ok, "\(query): \(answer.text)")
        }
        // An empty value is a value.
        let empty = try await fixture.operate(.get, "/identity/tenants/-/sessions?after=&limit=2")
        #expect(empty.status == .badRequest && empty.refusal == "admin.page", "\(empty.text)")
    }

    // MARK: Bodies

    @Test func `a refused body names the member that is wrong, missing or there twice, and no value`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        let offline = "/identity/tenants/-/offline-sign-in"
        let clients = "/identity/tenants/-/clients"
        let rules = #""wallSeconds":60,"poweredSeconds":60,"boots":1,"attempts":1"#
        for (method, path, body, member) in [
            (.post, "/identity/tenants/-/groups", #"{"displayName":["secretive"]}"#, ": displayName."),
            (.post, "/identity/tenants/-/groups", #"{"displayName":null}"#, ": displayName."),
            (.post, "/identity/tenants/-/groups", #"{"description":"secretive"}"#, ": displayName."),
            (
                .post, "/identity/tenants/-/groups", #"{"displayName":"secretive","display\u004eame":"x"}"#,
                ": displayName."
            ),
            (.post, clients, #"{"displayName":"App","redirectURIs":["a",["secretive"]]}"#, ": redirectURIs[1]."),
            (.put, offline, #"{"rules":{"credentials":["secretive",7],\#(rules)}}"#, ": rules.credentials[1]."),
            (.put, offline, #"{"rules":{"credentials":["secretive"]}}"#, ": rules.wallSeconds."),
            (.put, offline, #"{"rules":{\#(rules),"credentials":["secretive"],"boots":2}}"#, ": rules.boots."),
            (.post, "/mdm/tenants/-/enrollments", #"{"name":7.5}"#, ": name."),
            (.post, "/mdm/tenants/-/enrollments", "{}", ": name."),
            (.post, "/mdm/tenants/-/enrollments", #"{"name":"secretive","name":"x"}"#, ": name."),
            (
                .post, "/mdm/tenants/-/profiles", #"{"sharedDevice":{"urls":["secretive",7]}}"#,
                ": sharedDevice.urls[1]."
            ),
        ] as [(HTTPRequest.Method, String, String, String)] {
            for answer in try await answers(method, path, fixture, token: token, body: body) {
                #expect(answer.status == .badRequest && answer.refusal?.hasSuffix(".malformed") == true, "\(body)")
                #expect(answer.failure?.message.hasSuffix(member) == true, "\(body): \(answer.text)")
                #expect(!answer.text.contains("secretive"), "\(answer.text)")
            }
        }
    }

    // MARK: Texts

    private static let hidden = [
        "\u{1b}[31m", "\u{7}", "\u{85}", "\r", "\u{202e}", "\u{2066}", "\u{2069}", "\u{200b}", "\u{200e}", "\u{ad}",
        "\u{feff}", "\u{2060}", "\u{180e}", "\u{2028}", "\u{3164}", "\u{e0001}", "\u{e0041}",
        "\u{ffff}", "\u{10ffff}",
    ]

    @Test func `no text about a person, a group or a device has hidden characters, and none is too long`() async throws
    {
        let fixture = try await TestAdministration()
        let token = try await fixture.token(of: fixture.admin)
        let (user, group) = (IdentityAdmin.changeUser.operation, IdentityAdmin.addGroup.operation)
        func change(_ member: String, _ text: String) async throws -> TestResponse {
            let body = String(decoding: try JSONEncoder().encode([member: text]), as: UTF8.self)
            return try await fixture.call(user, ["user": "bo@contoso.test"], token: token, body: body)
        }
        let lengths = [
            "displayName": 256, "givenName": 64, "surname": 64, "jobTitle": 128, "mobilePhone": 64, "mail": 254,
        ]
        for (member, length) in lengths.sorted(by: { $0.key < $1.key }) {
            let code = member == "displayName" ? "identity.display.name" : "identity.text.malformed"
            let end = member == "mail" ? "@b.test" : ""
            func text(_ count: Int) -> String { String(repeating: "x", count: count - end.count) + end }
            for hidden in Self.hidden + ["\n", "\t"] {
                let answer = try await change(member, "a\(hidden)b\(end)")
                #expect(answer.refusal == code, "\(member) \(hidden.unicodeScalars.map(\.value)): \(answer.status)")
            }
            for count in [length + 1, 60_000] {
                let answer = try await change(member, text(count))
                #expect(answer.status == .badRequest && answer.refusal == code, "\(member) \(count)")
                #expect(member == "displayName" || answer.failure?.message.contains(member) == true)
            }
            #expect(try await change(member, text(length)).status == .noContent, "\(member)")
        }
        for mail in ["bo", "@b.test", "bo@", "bo@b@c.test", "b o@b.test", "bo@b.test\nBcc: all@contoso.test"] {
            #expect(try await change("mail", mail).refusal == "identity.text.malformed", "\(mail)")
        }
        // Joiners are part of Persian and Indic names, and the selectors of variants of emoji.
        for name in ["می\u{200c}خواهم", "ක්\u{200d}ෂ", "❤\u{fe0f}", String(repeating: "界", count: 256)] {
            #expect(try await change("displayName", name).status == .noContent, "\(name)")
        }
        #expect(try await change("mail", "").status == .noContent)
        for hidden in Self.hidden {
            let name = #"{"displayName":"a\#(Self.escaped(hidden))b"}"#
            #expect(try await fixture.operate(group, body: name).refusal == "identity.display.name")
            let described = #"{"displayName":"Ward","description":"a\#(Self.escaped(hidden))b"}"#
            #expect(try await fixture.operate(group, body: described).refusal == "identity.text.malformed")
            let enrollment = #"{"name":"a\#(Self.escaped(hidden))b"}"#
            let tablet = try await fixture.operate(MDMAdmin.addEnrollment.operation, body: enrollment)
            #expect(tablet.refusal == "mdm.name", "\(tablet.text)")
        }
        let long = #"{"displayName":"Ward","description":"\#(String(repeating: "x", count: 1025))"}"#
        #expect(try await fixture.operate(group, body: long).refusal == "identity.text.malformed")
    }

    private static func escaped(_ text: String) -> String {
        text.utf16.map { "\\u" + String(Int($0) + 0x10000, radix: 16).dropFirst() }.joined()
    }

    @Test func `Graph has the same rule for the texts of people and groups`() async throws {
        let fixture = try await TestAdministration()
        let token = try await fixture.graphToken()
        for body in [
            #"{"givenName":"\#(String(repeating: "x", count: 65))"}"#, #"{"surname":"a\u202eb"}"#,
            #"{"mail":"bo"}"#, #"{"displayName":"a\u2066b"}"#, #"{"jobTitle":"a\u001bb"}"#, #"{"mobilePhone":"1\n2"}"#,
        ] {
            let answer = try await fixture.graph(.patch, "/v1.0/users/bo@contoso.test", token: token, body: body)
            #expect(answer.status == .badRequest, "\(body.prefix(100)): \(answer.text)")
        }
        let group = try await fixture.acts.groups.add(
            "Ward", mailNickname: "ward", description: nil, tenant: fixture.tenant.id)
        for body in [#"{"description":"a\u001bb"}"#, #"{"displayName":"a\u202eb"}"#] {
            let answer = try await fixture.graph(.patch, "/v1.0/groups/\(group.id)", token: token, body: body)
            #expect(answer.status == .badRequest, "\(body): \(answer.text)")
        }
    }

    @Test func `a text that was stored before the rule can be read, and other members can be changed`() async throws {
        let fixture = try await TestAdministration()
        try await fixture.platform.database.write { connection in
            try connection.execute(
                """
                UPDATE person SET displayName = \("a\u{202e}b"), mail = 'none' WHERE loginName = 'bo@contoso.test'
                """)
        }
        let places = ["user": "bo@contoso.test"]
        let changed = try await fixture.operate(
            IdentityAdmin.changeUser.operation, places, body: #"{"givenName":"Bo"}"#)
        #expect(changed.status == .noContent, "\(changed.text)")
        let user: IdentityAdmin.User = try await fixture.operate(IdentityAdmin.getUser.operation, places).decoded()
        #expect(user.displayName == "a\u{202e}b" && user.mail == "none" && user.givenName == "Bo")
    }

    // MARK: The host

    @Test func `a request to another port is refused`() async throws {
        let fixture = try await TestAdministration()
        for (host, status) in [
            ("admin.test:1", .misdirectedRequest), ("admin.test:443", .misdirectedRequest),
            ("admin.test:x", .misdirectedRequest), ("admin.test:8445:1", .misdirectedRequest),
            ("admin.test:8445", .ok), ("ADMIN.test:8445", .ok), ("admin.test", .ok),
        ] as [(String, HTTPResponse.Status)] {
            let answer = try await fixture.send(.get, "/openapi.json", host: host, token: nil)
            #expect(answer.status == status, "\(host): \(answer.status)")
        }
    }
}
