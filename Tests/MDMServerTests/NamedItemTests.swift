// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import AdminServer
import Files
import Foundation
import HTTPTypes
import Hummingbird
import MDMProtocol
import Storage
import TestSupport
import Testing

@testable import MDMServer

/// How administrators name devices under management, profiles and apps.
@Suite struct NamedItemTests {
    private static let device = "11111111-1111-4111-8111-111111111111"
    private static let object = "01111111-1111-4111-8111-111111111111"

    /// Adds an enrolled device.
    private func enroll(
        _ udid: String, _ name: String, serial: String? = nil, state: String = "enrolled",
        directory: DirectoryNames? = nil, _ fixture: TestMDM
    ) async throws {
        let tenant = try #require(TenantID(rawValue: TestMDM.tenant))
        try await fixture.management.database.write { connection in
            try connection.execute(
                """
                INSERT INTO enrollment (tenant, id, name, fingerprint, state, udid, createdAt, expiresAt)
                VALUES (\(tenant), \(udid), \(name), \(udid), 'bound', \(udid), 0, \(Int64.max))
                """)
            try connection.execute(
                """
                INSERT INTO device (tenant, udid, enrollment, name, state, serialNumber, changedAt)
                VALUES (\(tenant), \(udid), \(udid), \(name), \(state), \(serial), 0)
                """)
        }
        if let directory {
            try await fixture.management.setDirectoryNames(
                directory, of: EnrolledDeviceID(tenant: tenant, udid: UDID(rawValue: udid)), replacing: nil)
        }
    }

    private func percent(_ name: String) throws -> String {
        try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    }

    private func udid(_ name: String, _ fixture: TestMDM) async throws -> String {
        try await fixture.call(.get, "/devices/\(try percent(name))", as: MDMAdmin.Device.self).udid
    }

    private func reason(
        _ method: HTTPRequest.Method, _ path: String, _ body: (any Encodable)? = nil, in fixture: TestMDM
    ) async throws -> AdminFailure.Reason {
        let answer = try await fixture.raw(method, path, body)
        #expect(answer.status.kind == .clientError, "\(answer.text)")
        return try JSONDecoder().decode(AdminFailure.self, from: Data(answer.body)).error
    }

    // MARK: Devices

    @Test func `a device is found by each of its ids and names, in device management and in the directory`()
        async throws
    {
        try await TestMDM.with { fixture in
            let names = DirectoryNames(id: Self.device, objectID: Self.object, displayName: "Ward 7")
            try await enroll("UDID-1", "tablet-7", serial: "C02X", directory: names, fixture)
            try await enroll("UDID-2", "tablet-8", fixture)
            for name in ["UDID-1", "udid-1", "tablet-7", "C02X", "Ward 7", Self.device.uppercased(), Self.object] {
                #expect(try await udid(name, fixture) == "UDID-1", "\(name)")
            }
            for other in ["Tablet-7", "c02x", "ward 7", "UDID", "nobody"] {
                #expect(try await fixture.refusal(.get, "/devices/\(try percent(other))") == "mdm.device.missing")
            }
            try await fixture.raw(.post, "/devices/Ward%207/inventory")
            #expect(try await fixture.commands(Self.device).count == 2)
            let made: MDMAdmin.EnrollmentProfile = try await fixture.call(
                .post, "/enrollments", MDMAdmin.NewEnrollment(name: "x", takesOver: "Ward 7"))
            let taken: String? = try await fixture.management.database.read {
                try $0.row("SELECT takesOver FROM enrollment WHERE id = \(made.id)")?["takesOver"]
            }
            #expect(taken == "UDID-1")
            for (name, code) in [("nobody", "mdm.device.missing"), ("a\u{0}", "mdm.malformed")] {
                let new = MDMAdmin.NewEnrollment(name: "x", takesOver: name)
                #expect(try await fixture.refusal(.post, "/enrollments", new) == code)
            }
        }
    }

    @Test func `a name that several devices have is refused with these devices`() async throws {
        try await TestMDM.with { fixture in
            let names = DirectoryNames(id: Self.device, objectID: Self.object, displayName: "cart")
            try await enroll("UDID-1", "cart", serial: "cart", directory: names, fixture)
            #expect(try await udid("cart", fixture) == "UDID-1")
            try await enroll("UDID-2", "tablet-8", serial: "cart", fixture)
            let reason = try await reason(.delete, "/devices/cart", in: fixture)
            #expect(reason.code == "mdm.device.ambiguous" && reason.moreCandidates == nil)
            #expect(
                reason.candidates == [.init(id: "UDID-1", name: "cart"), .init(id: "UDID-2", name: "tablet-8")])
            #expect(reason.message.contains("cart (UDID-1), tablet-8 (UDID-2)"))
            for number in 3...12 { try await enroll("UDID-\(number)", "cart", fixture) }
            let many = try await self.reason(.get, "/devices/cart", in: fixture)
            #expect(many.candidates?.count == 10 && many.moreCandidates == 2)
        }
    }

    @Test func `a device whose name, UDID or serial number is the id of another one does not get what is meant for it`()
        async throws
    {
        try await TestMDM.with { fixture in
            let apples = "00008030-001A2B3C4D5E6F70"
            let names = DirectoryNames(id: Self.device, objectID: Self.object, displayName: "Ward 7")
            try await enroll(apples, "tablet-7", directory: names, fixture)
            // The first of them claims the other device's id as its UDID.
            try await enroll(Self.device, Self.object, serial: apples, fixture)
            try await enroll("UDID-3", Self.device, serial: Self.object, fixture)
            try await enroll("UDID-4", apples, serial: Self.device, fixture)
            for name in [Self.device, Self.device.uppercased(), Self.object, apples, apples.lowercased()] {
                #expect(try await udid(name, fixture) == apples, "\(name)")
            }
            try await fixture.raw(.delete, "/devices/tablet-7")
            // A device that has left is known by its UDID only.
            #expect(try await udid(apples, fixture) == apples)
            #expect(try await fixture.refusal(.get, "/devices/\(Self.object)") == "mdm.device.missing")
        }
    }

    @Test func `the names of a device that has left can belong to another one`() async throws {
        try await TestMDM.with { fixture in
            let names = DirectoryNames(id: Self.device, objectID: Self.object, displayName: "Ward 7")
            try await enroll("UDID-1", "cart", serial: "C02X", directory: names, fixture)
            try await fixture.raw(.delete, "/devices/UDID-1")
            for name in ["cart", "C02X", "Ward 7", Self.device] {
                #expect(try await fixture.refusal(.get, "/devices/\(try percent(name))") == "mdm.device.missing")
            }
            try await enroll("UDID-2", "cart", serial: "C02X", directory: names, fixture)
            for name in ["cart", "C02X", "Ward 7", Self.device] {
                #expect(try await udid(name, fixture) == "UDID-2")
            }
            #expect(try await udid("udid-1", fixture) == "UDID-1")
        }
    }

    @Test func `a device that only the directory knows is refused with the reason`() async throws {
        try await TestMDM.with { fixture in
            try await enroll("UDID-1", "tablet-7", fixture)
            let directory = DeviceNeighbour { name, tenant in
                guard tenant == TestMDM.tenant else { return [] }
                return switch name.text {
                case "Ward 8": [.init(label: "Ward 8 (device id 8)", udid: nil)]
                case "Ward 7": [.init(label: "Ward 7 (device id 7)", udid: "UDID-1")]
                case "Ward 9": [.init(label: "Ward 9 (device id 9)", udid: "UDID-9")]
                case "spare": [.init(label: "spare (device id a)", udid: "A"), .init(label: "spare (b)", udid: nil)]
                default: []
                }
            }
            let router = Router(context: AdminContext.self)
            router.add(middleware: FixedCaller(.localOperator(userID: nil)))
            fixture.management.addAdminRoutes(to: router, directory: directory)
            let admin = TestClient(router.buildResponder())
            func refused(_ name: String) async throws -> AdminFailure.Reason {
                let answer = try await admin.send(.delete, "/mdm/tenants/-/devices/\(try percent(name))")
                return try JSONDecoder().decode(AdminFailure.self, from: Data(answer.body)).error
            }
            for name in ["Ward 8", "Ward 9"] {
                let reason = try await refused(name)
                #expect(reason.code == "mdm.device.notManaged" && reason.message.contains("\(name) (device id"))
                #expect(reason.remedy.contains("baton admin device add"))
            }
            let spare = try await refused("spare")
            #expect(spare.code == "mdm.device.notManaged" && spare.message.contains("spare (device id a), spare (b)"))
            #expect(try await refused("x").code == "mdm.device.missing")
            // The directory has another name than device management knows.
            #expect(try await admin.send(.delete, "/mdm/tenants/-/devices/Ward%207").status == .noContent)
            #expect(
                try await fixture.call(.get, "/devices/UDID-1", as: MDMAdmin.Device.self).state == "left")
        }
    }

    @Test func `the directory is told the devices with a name, without those that have left`() async throws {
        try await TestMDM.with { fixture in
            try await enroll("UDID-1", "cart", fixture)
            try await enroll("UDID-2", "spare", state: "left", fixture)
            func told(_ text: String) async throws -> [DeviceNeighbour.Device] {
                try await fixture.management.devices(named: try #require(ObjectName(text)), tenant: TestMDM.tenant)
            }
            #expect(try await told("cart") == [.init(label: "cart (UDID UDID-1)", udid: "UDID-1")])
            #expect(try await told("UDID-2").isEmpty)
        }
    }

    @Test func `the directory's names of a device change only if they are those that the caller knows`() async throws {
        try await TestMDM.with { fixture in
            let tenant = try #require(TenantID(rawValue: TestMDM.tenant))
            let id = EnrolledDeviceID(tenant: tenant, udid: UDID(rawValue: "UDID-1"))
            let first = DirectoryNames(id: Self.device, objectID: Self.object, displayName: "Ward 7")
            let next = DirectoryNames(id: Self.object, objectID: Self.device, displayName: "Ward 8")
            try await enroll("UDID-1", "cart", directory: first, fixture)
            func known() async throws -> DirectoryNames? {
                try await fixture.management.names(of: [id.udid], tenant: tenant)[id.udid]?.directory
            }
            try await fixture.management.setDirectoryNames(next, of: id, replacing: nil)
            #expect(try await known() == first)
            try await fixture.management.setDirectoryNames(next, of: id, replacing: first.id)
            #expect(try await known() == next)
            let linked = try await fixture.management.devicesWithDirectoryNames(of: tenant, after: nil, limit: 5)
            #expect(linked.map(\.udid) == [id.udid])
            try await fixture.management.setDirectoryNames(nil, of: id, replacing: next.id)
            #expect(try await known() == nil)
        }
    }

    // MARK: Profiles and apps

    /// Adds a profile and returns its identifier.
    @discardableResult
    private func profile(_ identifier: String, _ name: String, _ fixture: TestMDM) async throws -> String {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>PayloadType</key><string>Configuration</string>
            <key>PayloadVersion</key><integer>1</integer><key>PayloadIdentifier</key><string>\(identifier)</string>
            <key>PayloadUUID</key><string>\(UUID().uuidString)</string>
            <key>PayloadDisplayName</key><string>\(name)</string><key>PayloadContent</key><array/></dict></plist>
            """
        let made: MDMAdmin.Profile = try await fixture.call(
            .post, "/profiles", MDMAdmin.NewProfile.file(Data(text.utf8).base64EncodedString()))
        return made.identifier
    }

    @Test func `a profile is found by its identifier or by a name that no other profile has`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.settled(fixture, named: "tablet-1")
            try await profile("com.contoso.one", "Browser", fixture)
            // The name of a profile is the identifier of another one.
            try await profile("com.contoso.two", "com.contoso.one", fixture)
            for name in ["Browser", "com.contoso.one"] {
                let command: MDMAdmin.Command = try await fixture.call(.put, "/devices/tablet-1/profiles/\(name)")
                #expect(command.subject == "com.contoso.one")
            }
            #expect(try await fixture.refusal(.put, "/devices/tablet-1/profiles/browser") == "mdm.profile.missing")
            try await profile("com.contoso.three", "Browser", fixture)
            for (method, path) in [
                (HTTPRequest.Method.put, "/devices/tablet-1/profiles/Browser"),
                (.delete, "/devices/tablet-1/profiles/Browser"), (.delete, "/profiles/Browser"),
            ] {
                let reason = try await reason(method, path, in: fixture)
                #expect(reason.code == "mdm.profile.ambiguous")
                #expect(reason.candidates?.map(\.id) == ["com.contoso.one", "com.contoso.three"])
            }
            try await fixture.raw(.delete, "/profiles/com.contoso.three")
            #expect(try await fixture.raw(.delete, "/profiles/Browser").status == .noContent)
            // The device still has this profile; the name of a stored profile does not hide it.
            try await fixture.management.database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO heldProfile (tenant, udid, identifier, uuid)
                    VALUES (\(TestMDM.tenant), \(device.udid), 'com.contoso.one', 'u')
                    """)
            }
            for (name, subject) in [("com.contoso.one", "com.contoso.one"), ("com.contoso.gone", "com.contoso.gone")] {
                let command: MDMAdmin.Command = try await fixture.call(.delete, "/devices/tablet-1/profiles/\(name)")
                #expect(command.subject == subject)
            }
            let lines: [MDMAdmin.AuditEntry] = try await fixture.call(.get, "/audit")
            #expect(lines.last?.detail == "RemoveProfile com.contoso.gone")
            #expect(lines.contains { $0.detail == "InstallProfile com.contoso.one" })
        }
    }

    @Test func `an app is found by its bundle identifier or by a title that no other app has`() async throws {
        try await TestMDM.with { fixture in
            let device = try await HandDevice.settled(fixture, named: "tablet-1")
            try await fixture.register("the broker")
            let app = "/devices/tablet-1/apps"
            // Two versions of one app have one title.
            let path = fixture.folder.path + "/upload"
            for version in ["2.0", "3.0"] {
                let new = MDMAdmin.NewApp(
                    path: path, bundleIdentifier: "org.baton.authenticator", version: version, title: "App")
                let _: MDMAdmin.App = try await fixture.call(.post, "/apps", new)
            }
            let installed: MDMAdmin.Command = try await fixture.call(.put, "\(app)/App", MDMAdmin.PushedApp())
            #expect(installed.subject == "org.baton.authenticator 3.0")
            // What is refused for the bundle identifier is refused for the title.
            let bad: MDMAdmin.Configuration = ["sharedDeviceMode": .string("true")]
            for (body, end) in [(MDMAdmin.PushedApp(configuration: bad) as any Encodable, ""), (bad, "/configuration")]
            {
                #expect(try await fixture.refusal(.put, "\(app)/App\(end)", body) == "mdm.app.configuration")
            }
            let configured: MDMAdmin.Command = try await fixture.call(
                .put, "\(app)/App/configuration", MDMAdmin.Configuration())
            #expect(configured.subject == "org.baton.authenticator")
            try await fixture.register("another", bundleIdentifier: "com.contoso.rounds")
            let reason = try await reason(.put, "\(app)/App", MDMAdmin.PushedApp(), in: fixture)
            #expect(reason.code == "mdm.app.ambiguous")
            #expect(reason.candidates?.map(\.id) == ["com.contoso.rounds", "org.baton.authenticator"])
            #expect(try await self.reason(.delete, "\(app)/App/configuration", in: fixture).code == "mdm.app.ambiguous")
            #expect(try await fixture.refusal(.put, "\(app)/x", MDMAdmin.PushedApp()) == "mdm.app.missing")
            // An app that only the device has, and whose bundle identifier is the title of another app.
            let new = MDMAdmin.NewApp(
                path: path, bundleIdentifier: "com.contoso.x", version: "1", title: "com.contoso.y")
            let _: MDMAdmin.App = try await fixture.call(.post, "/apps", new)
            try await fixture.management.database.write { connection in
                try connection.execute(
                    """
                    INSERT INTO heldApp (tenant, udid, identifier, state, hasConfiguration)
                    VALUES (\(TestMDM.tenant), \(device.udid), 'com.contoso.y', 'Managed', 0)
                    """)
            }
            let held: MDMAdmin.Command = try await fixture.call(.delete, "\(app)/com.contoso.y/configuration")
            #expect(held.subject == "com.contoso.y")
            let lines: [MDMAdmin.AuditEntry] = try await fixture.call(.get, "/audit")
            #expect(lines.contains { $0.detail == "InstallApplication org.baton.authenticator" })
        }
    }

    // MARK: Tenants and malformed names

    @Test func `of several tenants none is the only one, and the refusal lists them`() async throws {
        try await TestMDM.with { fixture in
            let other = try #require(TenantID(rawValue: Self.device))
            try await fixture.management.prepareTenant(other, organization: "Fabrikam", domain: "fabrikam.example")
            let reason = try await reason(.get, "/devices", in: fixture)
            #expect(reason.code == "mdm.tenant.ambiguous" && reason.remedy.contains("--tenant contoso.example"))
            #expect(
                reason.candidates == [
                    .init(id: TestMDM.tenant, name: "contoso.example"),
                    .init(id: Self.device, name: "fabrikam.example"),
                ])
            for name in ["Fabrikam.EXAMPLE", Self.device.uppercased()] {
                #expect(try await fixture.admin.send(.get, "/mdm/tenants/\(name)/devices").status == .ok)
            }
            try await fixture.management.removeTenant(other)
            #expect(try await fixture.raw(.get, "/devices").status == .ok)
            for (path, status) in [("devices", HTTPResponse.Status.notFound), ("audit", .ok)] {
                #expect(try await fixture.admin.send(.get, "/mdm/tenants/\(Self.device)/\(path)").status == status)
            }
        }
    }

    @Test(arguments: ["%00", "a%00", "a%0Ab", "%1B[2J", "%E2%80%A8", "%C2%85"])
    func `a name with a control character is malformed, wherever it stands`(name: String) async throws {
        try await TestMDM.with { fixture in
            _ = try await HandDevice.enrolled(fixture, named: "tablet-1")
            for (method, path) in [
                (HTTPRequest.Method.get, "/devices/\(name)"), (.delete, "/profiles/\(name)"),
                (.delete, "/enrollments/\(name)"), (.delete, "/devices/tablet-1/profiles/\(name)"),
                (.delete, "/devices/tablet-1/apps/\(name)/configuration"),
            ] { #expect(try await fixture.refusal(method, path) == "mdm.malformed", "\(path)") }
            let answer = try await fixture.admin.send(.get, "/mdm/tenants/\(name)/devices")
            #expect(answer.text.contains("mdm.malformed"))
        }
    }

    /// The names are too long for an entry of an index.
    @Test func `names of any length are stored, and those of more than 256 characters name nothing`() async throws {
        try await TestMDM.with { fixture in
            let long = String(repeating: "é", count: 5000)
            try await enroll("UDID-1", long, serial: long, fixture)
            try await profile("com.contoso.one", long, fixture)
            let name = try percent(String(long.prefix(257)))
            try await enroll("UDID-2", String(long.prefix(257)), fixture)
            #expect(try await fixture.refusal(.get, "/devices/\(name)") == "mdm.device.missing")
            #expect(try await fixture.call(.get, "/devices/UDID-1", as: MDMAdmin.Device.self).name == long)
            try await enroll("UDID-3", String(long.prefix(256)), fixture)
            #expect(try await udid(String(long.prefix(256)), fixture) == "UDID-3")
        }
    }
}
