// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes
import TestSupport
import Testing

/// The commands for data-protection requests and for break-glass access, on a real server.
@Suite(.timeLimit(.minutes(10))) struct PersonalDataCommandTests {
    private struct Line: Decodable {
        let kind: String?
        let action: String?
        let actor: String?
        let subject: String?
        let detail: String?
        let userPrincipalName: String?
    }

    private func lines(_ text: String) throws -> [Line] {
        try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    private func withServer(
        _ keys: [String: any Sendable] = [:], _ body: (AdminServer) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let admin = AdminServer(server: try ServerProcess(keys, in: scratch), scratch: scratch)
            try await admin.server.start()
            _ = try admin.server.create("tenants", ["displayName": "A", "domain": "a.test"])
            for name in ["u", "v"] {
                _ = try admin.server.create(
                    "tenants/-/users",
                    [
                        "userPrincipalName": "\(name)@a.test", "displayName": name.uppercased(),
                        "password": "long enough",
                    ])
            }
            try await body(admin)
        }
    }

    @Test func `a person is exported and then erased, once this is confirmed`() async throws {
        try await withServer { admin in
            struct Shown: Decodable {
                struct User: Decodable { let id: String }
                let user: User
            }
            let shown: Shown = try await admin.json("user", "show", "u@a.test")
            try await admin.done("role", "add", "Global Reader", "u@a.test")
            try await admin.seed(
                """
                insert(identity, "session", tenant=tenant, id="44444444-4444-4444-8444-444444444444",
                       person="\(shown.user.id)", methods="pwd", begun=now)
                """)
            let exported = try lines(try await admin.done("user", "export", "u@a.test"))
            #expect(exported.first?.kind == "person" && exported.first?.userPrincipalName == "u@a.test")
            #expect(exported.contains { $0.kind == "session" } && exported.contains { $0.action == "role.assign" })
            #expect(exported.last?.action == "user.export" && exported.last?.actor == "operator")
            #expect(try await admin.refused("user", "export", "nobody@a.test").code == "identity.user.missing")

            let unconfirmed = try await admin.refused("user", "erase", "u@a.test")
            #expect(unconfirmed.code == "confirmation_missing")
            #expect(unconfirmed.message.contains("1 session and 0 personal devices"), "\(unconfirmed)")
            #expect(unconfirmed.remedy.contains("erase u@a.test --yes"))
            try await admin.done("user", "show", "u@a.test")
            let erased = try await admin.done("user", "erase", "u@a.test", "--yes")
            #expect(erased.contains("Erased, with 1 session") && erased.contains("now name erased-"), "\(erased)")
            #expect(try await admin.refused("user", "show", "u@a.test").code == "identity.user.missing")
            let log = try await admin.done("audit", "list")
            #expect(!log.contains(shown.user.id) && log.contains("role.assign") && log.contains("user.erase"), "\(log)")
            try await admin.done("user", "show", "v@a.test")
        }
    }

    @Test func `a person is removed once this is confirmed, and stays in the audit log`() async throws {
        try await withServer { admin in
            let unconfirmed = try await admin.refused("user", "remove", "u@a.test")
            #expect(unconfirmed.code == "confirmation_missing")
            #expect(unconfirmed.message.contains("Nothing is removed yet."), "\(unconfirmed)")
            #expect(unconfirmed.message.contains("0 sessions and 0 personal devices"), "\(unconfirmed)")
            #expect(unconfirmed.remedy.contains("remove u@a.test --yes"))
            try await admin.done("user", "show", "u@a.test")
            try await admin.done("user", "remove", "u@a.test", "--yes")
            #expect(try await admin.refused("user", "show", "u@a.test").code == "identity.user.missing")
            #expect(try await admin.refused("user", "remove", "u@a.test").code == "identity.user.missing")
            #expect(try await admin.done("audit", "list").contains("user.remove"))
        }
    }

    @Test func `both audit logs are exported by period`() async throws {
        try await withServer { admin in
            try await admin.done("profile", "add", "--shared-device", "https://login.a.test")
            let directory = try lines(try await admin.done("audit", "export", "--from", "2020-01-01"))
            #expect(directory.count { $0.action == "user.add" } == 2)
            #expect(directory.last?.action == "user.add")
            let devices = try lines(
                try await admin.done("audit", "export", "--devices", "--from", "2020-01-01T00:00:00Z"))
            #expect(devices.map(\.action) == ["mdm.profile.add"])
            #expect(try await admin.done("audit", "list").contains("audit.export"))
            #expect(try await admin.done("audit", "devices").contains("mdm.audit.export"))
            let none = try await admin.done("audit", "export", "--from", "2020-01-01", "--to", "2020-02-01")
            #expect(none == "")
            for words in [["--from", "yesterday"], ["--from", "2020-13-01"], []] {
                let run = try await admin.run(["audit", "export"] + words)
                #expect(run.code == 64, "\(words): \(run)")
            }
        }
    }

    @Test func `while break-glass access is in force, every command, the log and the metrics say so`() async throws {
        let port = try #require(FreePort.tcp(in: FreePort.ofTests))
        try await withServer(["metrics": ["port": Int(port)]]) { admin in
            let grant = [
                "break-glass", "grant", "v@a.test", "--reason", "No administrator can sign in.", "--minutes", "5",
            ]
            let lastGrant = "\nbaton_break_glass_last_grant_timestamp_seconds "
            let begun = Int(Date.now.timeIntervalSince1970)
            let granted = try await admin.run(grant)
            #expect(granted.code == 0 && granted.output.contains("v@a.test has the role Global Administrator until "))
            let warning = "warning: break-glass access is in force until "
            for words in [["tenant", "list"], ["device", "managed"], ["user", "list"], ["app", "list"]] {
                let run = try await admin.run(words)
                #expect(run.code == 0 && run.errors.hasPrefix(warning), "\(words): \(run)")
                #expect(run.errors.split(separator: "\n").count == 1)
            }
            let refused = try await admin.run(["user", "show", "nobody@a.test"])
            #expect(refused.code == 1 && refused.errors.hasPrefix(warning))
            #expect(refused.errors.contains("[identity.user.missing]"))
            struct Grant: Decodable { let id: String, user: String, isActive: Bool, grantedBy: String }
            let run = try await admin.run(["break-glass", "list", "--json"])
            #expect(run.errors.isEmpty)
            let listed = try JSONDecoder().decode([Grant].self, from: Data(run.output.utf8))
            #expect(listed.map(\.user) == ["v@a.test"] && listed.map(\.isActive) == [true])
            #expect(listed.first?.grantedBy.hasPrefix("uid=") == true, "\(listed)")
            #expect(try admin.server.log().contains("break-glass access was granted"))
            #expect(try !admin.server.log().contains("v@a.test"))
            let metrics = try await LiveDevice.MonitoringTests.scrape(port, in: admin.scratch)
            #expect(metrics.contains("\nbaton_break_glass_active 1\n"))
            let last = metrics.components(separatedBy: lastGrant).last?.prefix { $0.isNumber }
            #expect(try #require(last.flatMap { Int($0) }) >= begun)
            #expect(try await admin.refused(grant).code == "identity.breakGlass.active")

            try await admin.done("break-glass", "revoke", try #require(listed.first).id)
            try await admin.done("tenant", "list")
            #expect(try await admin.done("break-glass", "list").contains("ended"))
            let log = try await admin.done("audit", "list")
            #expect(log.contains("break-glass.grant") && log.contains("break-glass.end"))
            #expect(try admin.server.log().contains("break-glass access was revoked"))
        }
    }
}
