// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing

/// `baton admin` as an administrator uses it, on a real server.
@Suite(.timeLimit(.minutes(10))) struct AdminCommandTests {
    // MARK: Tenants

    /// Commands of the identity platform and the MDM that only read; they succeed if the tenant is named.
    private static let reading = [
        "tenant keys", "user list", "group list", "role list", "client list", "session list", "device list",
        "device managed", "enrollment list", "profile list", "app list", "offline show", "receipt trust", "audit list",
        "audit devices",
    ]
    private static let acting = [
        "device disable x", "device commands x", "device unenroll x", "profile push x --device x",
        "app push org.x.y --device x", "enrollment revoke x", "user show x", "device add x --output PROFILE",
    ]

    @Test func `with several tenants every command asks for one, and accepts its domain or id`()
        async throws
    {
        try await AdminServer.with(["a.test", "b.test"]) { admin in
            struct Tenant: Decodable { let id: String, domain: String }
            let tenants: [Tenant] = try await admin.json("tenant", "list")
            let id = try #require(tenants.first { $0.domain == "b.test" }).id
            for command in Self.reading + Self.acting {
                let words = command.split(separator: " ").map { $0 == "PROFILE" ? admin.scratch.path("y") : String($0) }
                let unnamed = try await admin.refused(words)
                #expect(unnamed.code.hasSuffix(".tenant.ambiguous"), "\(command): \(unnamed)")
                #expect(unnamed.message.contains("a.test, b.test") && unnamed.remedy.contains("--tenant a.test"))
                let missing = try await admin.refused(words + ["--tenant", "c.test"])
                #expect(missing.code.hasSuffix(".tenant.missing"), "\(command): \(missing)")
                #expect(missing.message.contains("c.test") && missing.remedy.contains("baton admin tenant list"))
            }
            for command in Self.reading {
                for name in ["B.test", id] {
                    let run = try await admin.run(
                        command.split(separator: " ").map(String.init) + ["--tenant", name])
                    #expect(run.code == 0, "\(command) --tenant \(name) says \(run)")
                }
            }
            try await admin.done("device", "add", "x", "--output", admin.scratch.path("x"), "--tenant", "b.test")
            struct Enrollment: Decodable { let name: String }
            let made: [Enrollment] = try await admin.json("enrollment", "list", "--tenant", id)
            #expect(made.map(\.name) == ["x"])
            #expect(try await admin.done("enrollment", "list", "--tenant", "a.test") == "none\n")
        }
    }

    @Test func `a server without a tenant says how to add one`() async throws {
        try await AdminServer.with([]) { admin in
            for command in [["user", "list"], ["device", "managed"]] {
                let failure = try await admin.refused(command)
                #expect(failure.code.hasSuffix(".tenant.none") && failure.remedy.contains("baton admin tenant add"))
            }
        }
    }

    @Test func `a tenant is removed with all of its data but the audit log, unless a device would be orphaned`()
        async throws
    {
        try await AdminServer.with(["a.test", "b.test"]) { admin in
            struct Tenant: Decodable { let id: String, domain: String }
            let tenants: [Tenant] = try await admin.json("tenant", "list")
            let id = try #require(tenants.first { $0.domain == "b.test" }).id
            let user = ["userPrincipalName": "u@b.test", "displayName": "U", "password": "long enough"]
            _ = try admin.server.create("tenants/b.test/users", user)
            try await admin.done("group", "add", "Ward 7", "--tenant", "b.test")
            try await admin.done("profile", "add", "--shared-device", "https://login.b.test", "--tenant", "b.test")
            try await admin.done("device", "add", "x", "--output", admin.scratch.path("x"), "--tenant", "b.test")

            let unconfirmed = try await admin.refused("tenant", "remove", "b.test")
            #expect(unconfirmed.code == "confirmation_missing" && unconfirmed.remedy.contains("remove b.test --yes"))
            #expect(unconfirmed.message.contains("1 user, 1 group,") && unconfirmed.message.contains(", 1 profile."))
            let orphaned = try await admin.refused("tenant", "remove", "b.test", "--yes")
            #expect(orphaned.code == "identity.tenant.inUse" && orphaned.message.contains("1 enrollment profile"))
            #expect(orphaned.remedy.contains("--tenant b.test"))
            struct Enrollment: Decodable { let id: String }
            let made: [Enrollment] = try await admin.json("enrollment", "list", "--tenant", "b.test")
            try await admin.done("enrollment", "revoke", try #require(made.first).id, "--tenant", "b.test")
            let unnamed = try await admin.refused("tenant", "remove", "-", "--yes")
            #expect(unnamed.code == "identity.tenant.ambiguous" && !unnamed.remedy.contains("--tenant"), "\(unnamed)")
            #expect(unnamed.remedy.contains("baton admin tenant remove DOMAIN --yes"), "\(unnamed)")

            let removed = try await admin.done("tenant", "remove", "B.test", "--yes")
            #expect(removed.contains("1 user, 1 group,") && removed.contains("--tenant \(id)"))
            #expect(try await admin.server.end(by: SIGKILL) == -SIGKILL)
            let left = try await admin.rows(of: id)
            #expect(Set(left.keys) == ["audit"], "\(left)")
            try await admin.server.start()

            // The other tenant is now the only one, so commands need not name it.
            #expect(try await !admin.done("tenant", "list").contains("b.test"))
            try await admin.done("user", "list")
            try await admin.done("device", "managed")
            #expect(try await admin.refused("user", "list", "--tenant", id).code == "identity.tenant.missing")
            #expect(try await admin.done("audit", "list", "--tenant", id).contains("tenant.remove"))
            #expect(try await admin.done("audit", "devices", "--tenant", id).contains("mdm.tenant.remove"))
            try await admin.done("tenant", "add", "b.test", "--name", "B again")
        }
    }

    // MARK: Devices

    private static let first = "11111111-1111-4111-8111-111111111111"
    private static let second = "22222222-2222-4222-8222-222222222222"
    private static let third = "33333333-3333-4333-8333-333333333333"
    private static let devices = """
        joined("\(first)", "ward-7", udid="UDID-1")
        joined("\(second)", "ward-8")
        joined("\(third)", "ward-8")
        insert(identity, "session", tenant=tenant, id="44444444-4444-4444-8444-444444444444", person=person,
               device="\(first)", methods="pwd", begun=now)
        insert(mdm, "tenant", id=tenant, organization="A", topic="com.apple.mgmt.External.t") if first(mdm, "tenant") is None else None
        managed("UDID-1", "ward-7", serial="SERIAL-1")
        managed("UDID-2", "cart", serial="SERIAL-2")
        managed("UDID-3", "ward-7", serial="SERIAL-1", state="left")
        """

    private func withDevices(_ body: (AdminServer) async throws -> Void) async throws {
        try await AdminServer.with(["a.test"]) { admin in
            let user = ["userPrincipalName": "u@a.test", "displayName": "U", "password": "long enough"]
            _ = try admin.server.create("tenants/-/users", user)
            try await admin.seed(Self.devices)
            try await body(admin)
        }
    }

    @Test func `every command accepts a device's name, device id, UDID or serial, and refuses an ambiguous one`()
        async throws
    {
        try await withDevices { admin in
            struct Device: Decodable { let deviceID: String, accountEnabled: Bool }
            for name in ["ward-7", Self.first.uppercased(), "0" + Self.first.dropFirst(), "udid-1", "SERIAL-1"] {
                for (verb, isEnabled) in [("disable", false), ("enable", true)] {
                    let said = try await admin.done("device", verb, name)
                    #expect(said.contains("ward-7") && said.contains(Self.first), "\(said)")
                    let now: [Device] = try await admin.json("device", "list")
                    #expect(now.filter { !$0.accountEnabled }.map(\.deviceID) == (isEnabled ? [] : [Self.first]))
                }
                try await admin.done("device", "commands", name)
            }
            for verb in ["disable", "enable", "remove"] {
                let ambiguous = try await admin.refused("device", verb, "ward-8")
                #expect(ambiguous.code == "identity.device.ambiguous", "\(ambiguous)")
                #expect(ambiguous.message.contains(Self.second) && ambiguous.message.contains(Self.third))
                #expect(ambiguous.candidates?.map(\.id) == [Self.second, Self.third])
                let missing = try await admin.refused("device", verb, "ward-9")
                #expect(missing.code == "identity.device.missing" && missing.message.contains("ward-9"))
                #expect(missing.remedy.contains("baton admin device list"))
                let elsewhere = try await admin.refused("device", verb, "cart")
                #expect(elsewhere.code == "identity.device.notJoined" && elsewhere.message.contains("UDID-2"))
            }
            let add = ["add", "y", "--output", admin.scratch.path("y"), "--takes-over"]
            for words in [["commands"], ["unenroll"], add] {
                let elsewhere = try await admin.refused(["device"] + words + [Self.second])
                #expect(
                    elsewhere.code == "mdm.device.notManaged" && elsewhere.message.contains("ward-8"), "\(elsewhere)")
            }
            // A device that has left is still found by its UDID, and its name is free again.
            try await admin.done("device", "commands", "UDID-3")
            #expect(try await admin.done("device", "unenroll", Self.first).contains("UDID-1"))
            try await admin.done("device", "remove", Self.third)
            #expect(try await admin.done("device", "remove", "ward-8").contains(Self.second))
        }
    }

    @Test func `commands accept the name of an application, the title of an app and the name of a profile`()
        async throws
    {
        try await withDevices { admin in
            try await admin.done("client", "add", "--name", "Rounds", "--redirect-uri", "https://x.test")
            try await admin.done("client", "disable", "Rounds")
            try await admin.done("client", "remove", "Rounds")
            try await admin.done(
                "app", "add", "/usr/bin/true", "--bundle-id", "org.x.app", "--version", "1.0", "--title", "Rounds")
            #expect(try await admin.done("app", "push", "Rounds", "--device", "ward-7").contains("org.x.app 1.0"))
            try await admin.done("profile", "add", "--shared-device", "https://login.a.test")
            struct Profile: Decodable { let identifier: String, displayName: String }
            let profiles: [Profile] = try await admin.json("profile", "list")
            let profile = try #require(profiles.first)
            let pushed = try await admin.done("profile", "push", profile.displayName, "--device", Self.first)
            #expect(pushed.contains(profile.identifier))
        }
    }

    @Test func `lists have headers, names and readable times, and JSON has milliseconds`() async throws {
        try await withDevices { admin in
            let sessions = try await admin.done("session", "list").split(separator: "\n")
            #expect(sessions.first?.contains("DEVICE") == true)
            #expect(sessions.last?.contains("ward-7") == true)
            try await admin.done("profile", "add", "--shared-device", "https://login.a.test")
            struct Profile: Decodable { let identifier: String }
            let profiles: [Profile] = try await admin.json("profile", "list")
            let profile = try #require(profiles.first).identifier
            try await admin.done("profile", "push", profile, "--device", "ward-7")
            let commands = try await admin.done("device", "commands", "ward-7").split(separator: "\n")
            #expect(commands.first?.split(separator: " ").first == "QUEUED")
            #expect(commands.last?.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ  InstallProfile/) == true, "\(commands)")
            #expect(commands.last?.contains(profile) == true)

            let year2020 = 1_577_836_800_000
            for (words, members) in [
                (["session", "list"], ["begunAt"]), (["device", "list"], ["registeredAt"]),
                (["tenant", "keys"], ["createdAt", "signsAt"]), (["audit", "list"], ["time"]),
                (["audit", "devices"], ["time"]), (["device", "commands", "ward-7"], ["enqueuedAt"]),
                (["enrollment", "list"], ["createdAt", "expiresAt"]),
            ] {
                let text = try await admin.run(words + ["--json"]).output
                let rows = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
                for member in members {
                    let times = try #require(rows).compactMap { $0[member] as? Int }
                    #expect(!times.isEmpty && times.allSatisfy { $0 > year2020 }, "\(words) \(member): \(times)")
                }
            }
        }
    }

    @Test func `a package must be a program, a profile replaces another only on request, a push names its version`()
        async throws
    {
        try await withDevices { admin in
            let junk = admin.scratch.path("junk")
            try Data(repeating: 7, count: 1000).write(to: URL(filePath: junk))
            let app = ["--bundle-id", "org.x.app", "--title", "X", "--version"]
            let refused = try await admin.refused(["app", "add", junk] + app + ["1.0"])
            #expect(refused.code == "mdm.package.kind" && refused.message.contains("ELF"))
            for version in ["2.0", "1.0"] {
                #expect(try await admin.run(["app", "add", "/usr/bin/true"] + app + [version]).code == 0)
            }
            // Without a version, the command takes the version that was added last.
            let device = ["--device", "ward-7"]
            #expect(try await admin.run(["app", "push", "org.x.app"] + device).output.contains("org.x.app 1.0"))
            let chosen = try await admin.run(["app", "push", "org.x.app", "--version", "2.0"] + device)
            #expect(chosen.code == 0 && chosen.output.contains("org.x.app 2.0"))
            let missing = try await admin.refused(["app", "push", "org.x.app", "--version", "3.0"] + device)
            #expect(missing.code == "mdm.app.missing" && missing.message.contains("org.x.app of version 3.0"))
            #expect(missing.remedy.contains("baton admin app list"))

            let profile = ["profile", "add", "--shared-device"]
            let outcomes = ["is added", "unchanged"]
            for outcome in outcomes {
                #expect(try await admin.run(profile + ["https://login.a.test"]).output.contains(outcome))
            }
            let other = try await admin.refused(profile + ["https://login.b.test"])
            #expect(other.code == "mdm.profile.taken" && other.remedy.contains("--replace"))
            let replaced = try await admin.run(profile + ["https://login.b.test", "--replace"])
            #expect(replaced.code == 0 && replaced.output.contains("is replaced"))
        }
    }

    // MARK: People

    @Test func `a group takes devices and people by name, or from a file, and can be filled again`() async throws {
        try await withDevices { admin in
            try await admin.done("group", "add", "Ward 7")
            let list = admin.scratch.path("devices.txt")
            try Data("\u{FEFF}ward-7\r\n\r\n  \(Self.second) \n".utf8).write(to: URL(filePath: list))
            for _ in 1...2 {
                let done = try await admin.done("group", "add-device", "Ward 7", "--from", list)
                #expect(done.contains("The 2 devices are in Ward 7."), "\(done)")
            }
            let added = try await admin.done("group", "add-member", "Ward 7", "u@a.test")
            #expect(added.contains("The person is in Ward 7."))
            let devices = try await admin.done("group", "devices", "Ward 7")
            #expect(devices.contains(/ward-7 +Ward 7 +/) && devices.contains(/ward-8 +Ward 7 +/), "\(devices)")
            #expect(try await admin.done("group", "list").contains(/Ward 7 +2 +u@a\.test/))
            // The command stops at the first name that means nothing, and says how far it came.
            try Data("\(Self.second)\nward-9\n".utf8).write(to: URL(filePath: list))
            let stopped = try await admin.run(["group", "remove-device", "Ward 7", "--from", list])
            #expect(stopped.code == 1 && stopped.errors.contains("1 of 2 are done; the next one is ward-9."))
            #expect(stopped.errors.contains("identity.device.missing"), "\(stopped.errors)")
            #expect(try await admin.done("group", "list").contains(/Ward 7 +1 +/))
            try Data("\n \n".utf8).write(to: URL(filePath: list))
            #expect(try await admin.refused("group", "add-device", "Ward 7", "--from", list).code == "file_empty")
            try Data([0x66, 0xFF]).write(to: URL(filePath: list))
            for path in [list, admin.scratch.path("none")] {
                let refused = try await admin.refused("group", "add-device", "Ward 7", "--from", path)
                #expect(refused.code == "file_unreadable")
            }
            #expect(try await admin.run(["group", "add-device", "Ward 7"]).code == 64)
            #expect(try await admin.run(["group", "add-device", "Ward 7", "ward-7", "--from", list]).code == 64)
        }
    }

    @Test func `a person can be shown, partly changed, and listed as disabled`() async throws {
        try await withDevices { admin in
            let shown = try await admin.done("user", "show", "U@a.test")
            #expect(shown.contains("enabled       yes") && shown.contains("ward-7  since 2"), "\(shown)")
            try await admin.done("user", "update", "u@a.test", "--name", "Una", "--job-title", "Nurse")
            try await admin.done("user", "update", "u@a.test", "--mail", "una@a.test", "--job-title", "")
            try await admin.done("user", "disable", "u@a.test")
            struct Shown: Decodable {
                let user: User
                struct User: Decodable {
                    let displayName: String, mail: String?, jobTitle: String?, accountEnabled: Bool
                }
            }
            let now: Shown = try await admin.json("user", "show", "u@a.test")
            #expect(now.user.displayName == "Una" && now.user.mail == "una@a.test")
            #expect(now.user.jobTitle == nil && !now.user.accountEnabled)
            #expect(try await admin.done("user", "list").contains(/u@a\.test +Una +no/))
            #expect(try await admin.run(["user", "update", "u@a.test"]).code == 64)
            let nameless = try await admin.refused("user", "update", "u@a.test", "--name", "")
            #expect(nameless.code == "identity.display.name")
        }
    }

    // MARK: Nonsense

    private static let nonsense = [
        ("user show x", "user", "baton admin user list"), ("user disable x", "user", "baton admin user list"),
        ("group remove x", "group x", "baton admin group list"),
        ("group add-member x u@a.test", "group x", "baton admin group list"),
        ("role add x u@a.test", "role x", "baton admin role list"),
        ("client disable x", "client x", "baton admin client list"),
        ("client secrets x", "client x", "baton admin client list"),
        ("session revoke x", "x is not the id of a session", "baton admin session list"),
        ("enrollment revoke x", "profile x", "baton admin enrollment list"),
        ("profile push x --device cart", "profile x", "baton admin profile list"),
        ("app push x --device cart", "app x", "baton admin app list"),
        ("app add /nowhere --bundle-id org.x.y --version 1 --title X", "/nowhere", "server's user"),
        ("app add /usr/bin/true --bundle-id nodots --version 1 --title X", "nodots", "dot"),
        ("app add /usr/bin/true --bundle-id org.x.y --version a/b --title X", "a/b", "letters"),
        ("profile add --file /nowhere", "/nowhere", ".mobileconfig"),
        ("client add --name x --redirect-uri https://x.test --id x", "x is not a client id", "UUID"),
        (
            "client add --name x --redirect-uri https://x.test --permission X.Y", "X.Y",
            "docs/reference/identity-platform.md"
        ),
        ("client add --name x --redirect-uri https://x.test --token-algorithm x", "with x", "ES256"),
        ("app add /etc/passwd --bundle-id org.x.y --version 1 --title X", "/etc/passwd", "program itself"),
        ("device add x --output /nowhere/x", "/nowhere/x", "another path"),
        ("tenant add nodots --name X", "nodots", "contoso.example"),
        ("tenant add a.test --name X", "taken", "baton admin --help"),
        ("receipt resolve x", "pseudonym", "whole subject"),
    ]

    @Test func `the audit logs say through which interface and from which address somebody acted`() async throws {
        try await AdminServer.with(["a.test"]) { admin in
            try await admin.done("group", "add", "G")
            try await admin.done("device", "add", "x", "--output", admin.scratch.path("x"))
            for (log, action) in [("list", "group.add"), ("devices", "mdm.enrollment.make")] {
                let lines = try await admin.done("audit", log).split(separator: "\n")
                let header = try #require(lines.first)
                #expect(header.contains("INTERFACE") && header.contains("ADDRESS"), "\(header)")
                #expect(lines.contains { $0.contains(action) && $0.contains("  socket  ") }, "\(lines)")
            }
        }
    }

    @Test func `an invalid command is refused, with the wrong value and a command that helps`() async throws {
        try await withDevices { admin in
            for (command, thing, help) in Self.nonsense {
                let failure = try await admin.refused(command.split(separator: " ").map(String.init))
                #expect(failure.message.contains(thing), "\(command): \(failure)")
                #expect(failure.remedy.contains(help), "\(command): \(failure)")
            }
            // An enrollment whose profile could not be written does not remain issued.
            struct Enrollment: Decodable { let state: String }
            let left: [Enrollment] = try await admin.json("enrollment", "list")
            #expect(!left.contains { $0.state == "issued" })
        }
    }
}
