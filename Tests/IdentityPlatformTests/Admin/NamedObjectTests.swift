// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import HTTPTypes
import Storage
import TestSupport
import Testing

@testable import IdentityPlatform

/// How administrators name the objects of the directory.
@Suite struct NamedObjectTests {
    private static let first = "11111111-1111-4111-8111-111111111111"
    private static let second = "22222222-2222-4222-8222-222222222222"
    private static let third = "33333333-3333-4333-8333-333333333333"

    private func join(
        _ id: String, _ name: String, udid: String? = nil, managed: String? = nil, serial: String? = nil,
        _ fixture: TestPlatform
    ) async throws {
        try await fixture.addDevice(id, named: name, udid: udid, managedName: managed, serialNumber: serial)
    }

    private func device(_ name: String, _ admin: AdminClient) async throws -> String {
        let device: IdentityAdmin.Device = try await admin.call(IdentityAdmin.getDevice, ["device": name])
        return device.deviceID
    }

    // MARK: Devices

    @Test func `a device is found by each of its ids and names`() async throws {
        let fixture = try await TestPlatform()
        let admin = AdminClient(fixture)
        let udid = "ABCDEF00-1234-4ABC-8000-00000000000A"
        try await join(Self.first, "Ward 7", udid: udid, managed: "tablet-7", serial: "C02X", fixture)
        try await join(Self.second, "Ward 8", udid: "UDID-2", fixture)
        for name in [
            Self.first, "0" + Self.first.dropFirst(), udid, udid.lowercased(), "Ward 7", "tablet-7", "C02X",
        ] {
            #expect(try await device(name, admin) == Self.first, "\(name)")
        }
        #expect(try await device(Self.second.uppercased(), admin) == Self.second)
        #expect(try await device("udid-2", admin) == Self.second)
        for other in ["ward 7", "Tablet-7", "c02x", "UDID", Self.third] {
            #expect(try await admin.refusal(IdentityAdmin.getDevice, ["device": other]) == "identity.device.missing")
        }
        #expect(try await admin.send(IdentityAdmin.removeDevice, ["device": "tablet-7"]).status == .noContent)
        #expect(try await admin.refusal(IdentityAdmin.removeDevice, ["device": udid]) == "identity.device.missing")
    }

    @Test func `a name that several devices have is refused with these devices, and changes none`() async throws {
        let fixture = try await TestPlatform()
        let admin = AdminClient(fixture)
        try await join(Self.first, "Ward 7", fixture)
        try await join(Self.second, "Cart", managed: "Ward 7", serial: "Ward 7", fixture)
        let reason = try await admin.reason(IdentityAdmin.removeDevice, ["device": "Ward 7"])
        #expect(reason.code == "identity.device.ambiguous")
        #expect(
            reason.candidates == [.init(id: Self.first, name: "Ward 7"), .init(id: Self.second, name: "Cart")])
        #expect(reason.moreCandidates == nil)
        #expect(reason.message.contains(Self.first) && reason.message.contains("Cart (\(Self.second))"))
        #expect(reason.remedy.contains("baton admin device list"))
        let left: [IdentityAdmin.Device] = try await admin.call(IdentityAdmin.listDevices)
        #expect(left.count == 2)

        for number in 1...11 { try await join(guid(number), "spare", fixture) }
        let many = try await admin.reason(IdentityAdmin.getDevice, ["device": "spare"])
        #expect(many.candidates?.count == 10 && many.moreCandidates == 1 && many.message.contains("and 1 more"))
    }

    private func guid(_ number: Int) -> String {
        "a0000000-0000-4000-8000-" + String(repeating: "0", count: number < 10 ? 11 : 10) + String(number)
    }

    @Test func `a device whose name, UDID or serial number is the id of another one does not get what is meant for it`()
        async throws
    {
        let fixture = try await TestPlatform()
        let admin = AdminClient(fixture)
        let object = "0" + Self.first.dropFirst()
        try await join(Self.first, "Ward 7", udid: "00008030-001A2B3C4D5E6F70", fixture)
        try await join(Self.second, Self.first, udid: Self.first, managed: object, serial: Self.first, fixture)
        try await join(Self.third, "00008030-001A2B3C4D5E6F70", udid: object, fixture)
        for name in [Self.first, Self.first.uppercased(), object, "00008030-001A2B3C4D5E6F70"] {
            #expect(try await device(name, admin) == Self.first, "\(name)")
        }
        // Not even when the other one is gone.
        #expect(try await admin.send(IdentityAdmin.removeDevice, ["device": Self.first]).status == .noContent)
        try await fixture.platform.database.write { try $0.execute("UPDATE device SET managedAs = NULL") }
        for name in [Self.first, object, "00008030-001A2B3C4D5E6F70"] {
            #expect(
                try await admin.refusal(IdentityAdmin.getDevice, ["device": name]) == "identity.device.missing",
                "\(name)")
        }
    }

    @Test func `a UDID that several devices of the directory have is refused, unless its spelling tells them apart`()
        async throws
    {
        let fixture = try await TestPlatform()
        let admin = AdminClient(fixture)
        try await join(Self.first, "Ward 7", udid: "UDID", fixture)
        try await join(Self.second, "Ward 8", udid: "udid", fixture)
        #expect(try await device("UDID", admin) == Self.first)
        #expect(try await device("udid", admin) == Self.second)
        #expect(try await admin.refusal(IdentityAdmin.getDevice, ["device": "Udid"]) == "identity.device.ambiguous")
        try await join(Self.third, "Ward 8", udid: "udid", fixture)
        let reason = try await admin.reason(IdentityAdmin.getDevice, ["device": "udid"])
        #expect(
            reason.code == "identity.device.ambiguous" && reason.candidates?.map(\.id) == [Self.second, Self.third])
    }

    @Test func `a device that only device management knows is refused with the reason`() async throws {
        let fixture = try await TestPlatform()
        let management = DeviceNeighbour { name, tenant in
            guard tenant == fixture.tenant.id.rawValue else { return [] }
            return switch name.text {
            case "cart": [.init(label: "cart (UDID UDID-9)", udid: "UDID-9")]
            case "renamed": [.init(label: "renamed (UDID UDID-1)", udid: "UDID-1")]
            case "spare": [.init(label: "spare (UDID A)", udid: "A"), .init(label: "spare (UDID B)", udid: "B")]
            default: []
            }
        }
        let admin = AdminClient(fixture, managedDevices: management)
        try await join(Self.first, "Ward 7", udid: "UDID-1", managed: "tablet-7", fixture)
        try await join(Self.second, "UDID-9", fixture)
        let cart = try await admin.reason(IdentityAdmin.removeDevice, ["device": "cart"])
        #expect(cart.code == "identity.device.notJoined" && cart.message.contains("cart (UDID UDID-9)"))
        #expect(cart.remedy.contains("baton device join") && cart.candidates == nil)
        let spare = try await admin.reason(IdentityAdmin.removeDevice, ["device": "spare"])
        #expect(spare.code == "identity.device.notJoined" && spare.message.contains("spare (UDID A), spare (UDID B)"))
        // Device management has another name than the directory knows.
        #expect(try await device("renamed", admin) == Self.first)
        #expect(try await admin.refusal(IdentityAdmin.getDevice, ["device": "x"]) == "identity.device.missing")
    }

    @Test func `device management is told the devices with a name`() async throws {
        let fixture = try await TestPlatform()
        try await join(Self.first, "Ward 7", udid: "UDID-1", fixture)
        try await join(Self.second, "Ward 8", fixture)
        func told(_ text: String) async throws -> [DeviceNeighbour.Device] {
            try await fixture.platform.devices(
                named: try #require(ObjectName(text)), tenant: fixture.tenant.id.rawValue)
        }
        #expect(try await told("Ward 7") == [.init(label: "Ward 7 (device id \(Self.first))", udid: "UDID-1")])
        #expect(try await told(Self.second) == [.init(label: "Ward 8 (device id \(Self.second))", udid: nil)])
        #expect(try await told("x").isEmpty)
    }

    // MARK: Groups, applications, people and tenants

    @Test func `a group and an application are found by id or by a name that no other has`() async throws {
        let fixture = try await TestPlatform()
        let admin = AdminClient(fixture)
        let ward: IdentityAdmin.Group = try await admin.call(
            IdentityAdmin.addGroup,
            body: IdentityAdmin.NewGroup(displayName: "Ward 7", mailNickname: nil, description: nil))
        // The name of a group is the id of another one.
        let _: IdentityAdmin.Group = try await admin.call(
            IdentityAdmin.addGroup,
            body: IdentityAdmin.NewGroup(displayName: ward.id, mailNickname: "x", description: nil))
        let amara = ["user": "AMARA@contoso.test"]
        for name in ["Ward 7", ward.id.uppercased()] {
            let member = amara.merging(["group": name]) { $1 }
            #expect(try await admin.send(IdentityAdmin.addGroupMember, member).status == .noContent)
            #expect(try await admin.send(IdentityAdmin.removeGroupMember, member).status == .noContent)
        }
        #expect(try await admin.refusal(IdentityAdmin.removeGroup, ["group": "ward 7"]) == "identity.group.missing")
        let digits = String(repeating: "0a", count: 20)
        let _: IdentityAdmin.Group = try await admin.call(
            IdentityAdmin.addGroup,
            body: IdentityAdmin.NewGroup(displayName: digits, mailNickname: "z", description: nil))
        #expect(try await admin.refusal(IdentityAdmin.removeGroup, ["group": digits]) == "identity.group.missing")
        let again: IdentityAdmin.Group = try await admin.call(
            IdentityAdmin.addGroup,
            body: IdentityAdmin.NewGroup(displayName: "Ward 7", mailNickname: "y", description: nil))
        let ambiguous = try await admin.reason(IdentityAdmin.removeGroup, ["group": "Ward 7"])
        #expect(ambiguous.code == "identity.group.ambiguous")
        #expect(Set(ambiguous.candidates?.map(\.id) ?? []) == [ward.id, again.id])

        var ids: [String] = []
        for _ in 0..<2 {
            let client: IdentityAdmin.Client = try await admin.call(
                IdentityAdmin.addClient, body: IdentityAdmin.NewClient(displayName: "Rounds", redirectURIs: []))
            ids.append(client.id)
            let answer = try await admin.send(IdentityAdmin.listClientSecrets, ["client": "Rounds"])
            #expect(answer.status == (ids.count == 1 ? .ok : .conflict))
        }
        let several = try await admin.reason(IdentityAdmin.removeClient, ["client": "Rounds"])
        #expect(several.code == "identity.client.ambiguous")
        #expect(Set(several.candidates?.map(\.id) ?? []) == Set(ids))
        for id in ids { #expect(try await admin.send(IdentityAdmin.removeClient, ["client": id]).status == .noContent) }
        #expect(try await admin.refusal(IdentityAdmin.removeClient, ["client": "Rounds"]) == "identity.client.missing")
    }

    @Test func `of several tenants none is the only one, and the refusal lists them`() async throws {
        let fixture = try await TestPlatform()
        let admin = AdminClient(fixture)
        let other = try await fixture.administration.tenants.add(displayName: "Fabrikam", domain: "fabrikam.test")
        let reason = try await admin.reason(IdentityAdmin.listUsers)
        #expect(reason.code == "identity.tenant.ambiguous" && reason.remedy.contains("--tenant contoso.test"))
        #expect(
            reason.candidates == [
                .init(id: fixture.tenant.id.rawValue, name: "contoso.test"),
                .init(id: other.id.rawValue, name: "fabrikam.test"),
            ])
        #expect(try await admin.refusal(IdentityAdmin.listUsers, ["tenant": "x.test"]) == "identity.tenant.missing")
        for name in ["FABRIKAM.test", other.id.rawValue.uppercased()] {
            #expect(try await admin.send(IdentityAdmin.listUsers, ["tenant": name]).status == .ok)
        }
        #expect(try await admin.send(IdentityAdmin.removeTenant, ["tenant": "fabrikam.test"]).status == .ok)
        #expect(try await admin.send(IdentityAdmin.listUsers).status == .ok)
        let removed = ["tenant": other.id.rawValue.uppercased()]
        #expect(try await admin.refusal(IdentityAdmin.listUsers, removed) == "identity.tenant.missing")
        #expect(try await admin.send(IdentityAdmin.listAuditEntries, removed).status == .ok)
    }

    @Test(arguments: ["\u{0}", "a\u{0}", "a\nb", "\u{1b}[2J", "\u{2028}"])
    func `a name with a control character is malformed, wherever it stands`(name: String) async throws {
        let admin = AdminClient(try await TestPlatform())
        let malformed = "identity.malformed"
        #expect(try await admin.refusal(IdentityAdmin.getDevice, ["device": name]) == malformed)
        #expect(try await admin.refusal(IdentityAdmin.getUser, ["user": name]) == malformed)
        #expect(try await admin.refusal(IdentityAdmin.removeGroup, ["group": name]) == malformed)
        #expect(try await admin.refusal(IdentityAdmin.removeClient, ["client": name]) == malformed)
        #expect(try await admin.refusal(IdentityAdmin.listUsers, ["tenant": name]) == malformed)
        #expect(try await admin.refusal(IdentityAdmin.revokeSession, ["session": name]) == malformed)
        #expect(try await admin.refusal(IdentityAdmin.listSessions, query: [("user", name)]) == malformed)
        let grant = IdentityAdmin.NewBreakGlassGrant(user: name, reason: "the network is down")
        #expect(try await admin.refusal(IdentityAdmin.grantBreakGlass, body: grant) == malformed)
        #expect(
            try await admin.refusal(
                IdentityAdmin.assignRole, ["role": name, "user": "amara@contoso.test"]) == malformed)
    }
}
