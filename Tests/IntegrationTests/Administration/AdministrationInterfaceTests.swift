// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import DeviceHTTPS
import Foundation
import Glibc
import Processes
import TestSupport
import Testing
import UnixSocket

/// The HTTPS interface of a real server: what it refuses before any operation is called, and what survives its end.
@Suite(.timeLimit(.minutes(10))) struct AdministrationInterfaceTests {
    private func withServer(
        _ settings: [String: any Sendable] = [:], _ body: (AdministeredServer, String) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let server = try await AdministeredServer(settings, in: scratch)
            try server.addPerson("admin", roles: "Global Administrator")
            try await body(server, try await server.token(ofPerson: "admin"))
        }
    }

    @Test func `paths and methods that no operation has are refused in JSON, with the methods that the path has`()
        async throws
    {
        try await withServer { server, token in
            for (method, path, status, code, allowed) in [
                ("GET", "/", 404, "admin.path", nil), ("GET", "/identity", 404, "admin.path", nil),
                ("GET", "/identity/tenants/-/nothing", 404, "admin.path", nil),
                ("GET", "/identity/tenants/-/users/a/b/c", 404, "admin.path", nil),
                ("POST", "/identity/tenants/-/users/bo@contoso.test", 405, "admin.method", "DELETE, GET, PATCH"),
                ("HEAD", "/identity/tenants/-/users", 405, nil, "GET, POST"),
                ("OPTIONS", "/identity/tenants/-/users", 405, "admin.method", "GET, POST"),
                ("TRACE", "/mdm/tenants/-/devices", 405, "admin.method", "GET"),
                ("PUT", "/openapi.json", 405, "admin.method", "GET"),
            ] as [(String, String, Int, String?, String?)] {
                for token in [token, nil] {
                    let answer = try await server.send(method, path, token: token)
                    #expect(answer.status == status && answer.refusal == code, "\(method) \(path): \(answer)")
                    #expect(answer.header("allow") == allowed, "\(method) \(path)")
                    #expect(code == nil || answer.failure?.remedy.isEmpty == false)
                    #expect(answer.header("content-type") == "application/json", "\(method) \(path)")
                    #expect(answer.header("request-id") != nil && answer.header("x-content-type-options") == "nosniff")
                }
            }
        }
    }

    @Test func `a body with an unknown member, a wrong type or a control character in a name changes nothing`()
        async throws
    {
        try await withServer { server, token in
            let (users, groups) = (IdentityAdmin.addUser.operation, IdentityAdmin.addGroup.operation)
            let person = #""userPrincipalName":"jo@contoso.test","displayName":"Jo","password":"correct horse battery""#
            for (operation, body, code) in [
                (users, #"{\#(person),"role":"Global Administrator"}"#, "identity.malformed"),
                (users, #"{\#(person),"isAdmin":null}"#, "identity.malformed"),
                (users, #"{\#(person),"jobTitle":7}"#, "identity.malformed"),
                (users, #"{\#(person)"#, "identity.malformed"), (users, "[]", "identity.malformed"),
                (users, "", "identity.malformed"), (users, #"{\#(person)} {}"#, "identity.malformed"),
                (users, #"{\#(person),"displayName":"Other"}"#, "identity.malformed"),
                (users, #"{\#(person),"jobTitle":"a\u0000b"}"#, "identity.malformed"),
                (users, #"{\#(person.replacing("Jo\"", with: #"J\u001bo""#))}"#, "identity.display.name"),
                (groups, #"{"displayName":"Ward\n7"}"#, "identity.display.name"),
                (groups, #"{"displayName":"Ward\u20287"}"#, "identity.display.name"),
                (groups, #"{"displayName":""}"#, "identity.display.name"),
                (groups, #"{"displayName":["Ward"]}"#, "identity.malformed"),
                (groups, String(repeating: "[", count: 10_000), "identity.malformed"),
                (MDMAdmin.addEnrollment.operation, #"{"name":"tab\u0007let"}"#, "mdm.name"),
                (MDMAdmin.addEnrollment.operation, #"{"name":"tablet","state":"bound"}"#, "mdm.malformed"),
                (MDMAdmin.addProfile.operation, #"{"file":"","sharedDevice":{"urls":[]}}"#, "mdm.malformed"),
                (MDMAdmin.addProfile.operation, #"{"sharedDevice":{"urls":[],"more":1}}"#, "mdm.malformed"),
            ] {
                let answer = try await server.call(operation, token: token, body: body)
                #expect(answer.status == 400 && answer.refusal == code, "\(body.prefix(200)): \(answer.text)")
            }
            for place in ["a%00b", "a%0Ab", "%C2%85", "%E2%80%A8", String(repeating: "x", count: 1025)] {
                let answer = try await server.send("GET", "/identity/tenants/-/users/\(place)", token: token)
                #expect(answer.status == 400 && answer.refusal == "identity.malformed", "\(place): \(answer.text)")
            }
            let large = #"{"displayName":"\#(String(repeating: "x", count: 70_000))"}"#
            let refused = try await server.call(groups, token: token, body: large)
            #expect(refused.status == 413 && refused.refusal == "admin.tooLarge", "\(refused.text)")
            let people: [IdentityAdmin.User] = try server.operate(IdentityAdmin.listUsers.operation).decoded()
            #expect(people.map(\.displayName) == ["admin"])
            for list in [
                IdentityAdmin.listGroups.operation, MDMAdmin.listEnrollments.operation, MDMAdmin.listProfiles.operation,
            ] {
                #expect(try server.operate(list).text == "[]", "\(list.id)")
            }
        }
    }

    @Test func `a caller who calls too often is told when to go on, and nobody else is`() async throws {
        try await withServer { server, token in
            try server.addPerson("second", roles: "Global Administrator")
            let other = try await server.token(ofPerson: "second")
            let list = IdentityAdmin.listGroups.operation
            // The count begins again with each minute, so the limit is reached within two minutes.
            var refusals: [InterfaceAnswer] = []
            for _ in 0..<130 where refusals.isEmpty {
                let answers = try await withThrowingTaskGroup(of: InterfaceAnswer.self) { group in
                    for _ in 0..<20 { group.addTask { try await server.call(list, token: token) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                refusals = answers.filter { $0.status != 200 }
            }
            let refused = try #require(refusals.first)
            #expect(refused.status == 429 && refused.refusal == "admin.tooMany", "\(refused.text)")
            let pause = try #require(refused.header("retry-after").flatMap { Int($0) })
            #expect((1...60).contains(pause))
            #expect(try await server.call(list, token: other).status == 200)
            #expect(try server.operate(list).status == 200)
        }
    }

    @Test func `an address that sends tokens that are not valid is stopped, and callers with valid tokens are not`()
        async throws
    {
        try await withServer { server, token in
            let list = IdentityAdmin.listGroups.operation
            var answers: [Int] = []
            for _ in 0..<140 where answers.last != 429 {
                answers.append(try await server.call(list, token: "x.y.z").status)
            }
            #expect(answers.last == 429 && answers.count > 60 && Set(answers) == [401, 429], "\(answers.count)")
            #expect(try await server.call(list, token: token).status == 200)
        }
    }

    @Test func `after kill -9 a repeated request still gets its first answer`() async throws {
        try await withServer { server, token in
            let key = [(name: "idempotency-key", value: "k-1")]
            func send() async throws -> [InterfaceAnswer] {
                [
                    try await server.call(
                        IdentityAdmin.addGroup.operation, token: token, headers: key, body: #"{"displayName":"Ward"}"#),
                    try await server.call(
                        MDMAdmin.addProfile.operation, token: token, headers: key,
                        body: #"{"sharedDevice":{"urls":["https://login.test"]}}"#),
                ]
            }
            let first = try await send()
            #expect(first.map(\.status) == [201, 201], "\(first.map(\.text))")
            #expect(try await server.server.end(by: SIGKILL) == -SIGKILL)
            try await server.server.start()
            let again = try await send()
            #expect(again.map(\.status) == [201, 201] && again.map(\.text) == first.map(\.text))
            #expect(again.allSatisfy { $0.header("idempotency-replayed") == "true" })
            let groups: [IdentityAdmin.Group] = try server.operate(IdentityAdmin.listGroups.operation).decoded()
            #expect(groups.count == 1)
        }
    }

    @Test func `the interface needs TLS and a name, and its port and its name are its own`() async throws {
        try await withServer { server, token in
            // A request without TLS gets no answer.
            let plain = try LoopbackSocket.connected(to: UInt16(server.port)).withNumber { number in
                FileHandle(fileDescriptor: dup(number), closeOnDealloc: true)
            }
            let head = "GET /openapi.json HTTP/1.1\r\nHost: admin.test\r\nConnection: close\r\n\r\n"
            try plain.write(contentsOf: Data(head.utf8))
            let answer: Data?
            do { answer = try plain.readToEnd() } catch { answer = nil }
            #expect(!String(decoding: answer ?? Data(), as: UTF8.self).contains("HTTP/1.1"))
            // The other listeners do not have the operations.
            for host in ["login.test", "graph.test", "drs.test"] {
                let answer = try await server.server.send("GET", "/identity/tenants/-/users", host: host, bearer: token)
                #expect(answer.status == 404, "\(host): \(answer.text)")
            }
        }
        try await Scratch.with { scratch in
            let port = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
            let without = try ServerProcess(["administrationPort": port], in: scratch)
            try await without.start()
            #expect(throws: TestProblem.self) { _ = try LoopbackSocket.connected(to: UInt16(port)) }
            for (administration, place) in [("login.test", "names"), ("", "names")] {
                let names = [
                    "login": "login.test", "deviceRegistration": "drs.test", "graph": "graph.test", "mdm": "mdm.test",
                    "administration": administration,
                ]
                let outcome = try await ServerProcess(["names": names], in: scratch).fail()
                #expect(outcome.code != 0 && outcome.text.contains(place), "\(outcome.text)")
            }
        }
    }
}
