// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import HTTPTypes
import IdentityPlatform
import TestSupport
import Testing

/// Groups of people and devices, and what administrators do with them.
@Suite struct GroupRoutesTests {
    @Test func `groups are created and filled over the socket`() async throws {
        let fixture = try await TestPlatform()
        let admin = AdminClient(fixture)
        let made: IdentityAdmin.Group = try await admin.call(
            IdentityAdmin.addGroup, ["tenant": "-"],
            body: IdentityAdmin.NewGroup(displayName: "Ward 7", mailNickname: nil, description: "Nights"))
        let member = ["tenant": "-", "group": "Ward 7", "user": "amara@contoso.test"]
        // Each act can be repeated, because its answer may have been lost.
        for _ in 1...2 { #expect(try await admin.send(IdentityAdmin.addGroupMember, member).status == .noContent) }
        let groups: [IdentityAdmin.Group] = try await admin.call(IdentityAdmin.listGroups, ["tenant": "-"])
        #expect(groups.map(\.members) == [["amara@contoso.test"]] && groups.first?.id == made.id)
        for _ in 1...2 { #expect(try await admin.send(IdentityAdmin.removeGroupMember, member).status == .noContent) }
        let log: [IdentityAdmin.AuditEntry] = try await admin.call(IdentityAdmin.listAuditEntries)
        #expect(log.count { $0.action == "group.member.add" } == 1)
        #expect(log.count { $0.action == "group.member.remove" } == 1)
        #expect(
            try await admin.send(IdentityAdmin.removeGroup, ["tenant": "-", "group": made.id]).status == .noContent)
        #expect(try await admin.refusal(IdentityAdmin.removeGroup, member) == "identity.group.missing")
    }

    @Test func `a device is in as many groups as it was added to, and is shown with them`() async throws {
        let fixture = try await TestPlatform()
        let admin = AdminClient(fixture)
        let ids = ["1", "2"].map { "d0000000-0000-4000-8000-00000000000\($0)" }
        for (number, id) in ids.enumerated() { try await fixture.addDevice(id, named: "tablet \(number + 1)") }
        for name in ["Ward 7", "Night"] {
            let _: IdentityAdmin.Group = try await admin.call(
                IdentityAdmin.addGroup, ["tenant": "-"],
                body: IdentityAdmin.NewGroup(displayName: name, mailNickname: nil, description: nil))
        }
        let ward = ["tenant": "-", "group": "Ward 7", "device": "tablet 1"]
        // The second time changes nothing.
        for _ in 1...2 { #expect(try await admin.send(IdentityAdmin.addGroupDevice, ward).status == .noContent) }
        let night = ward.merging(["group": "Night"]) { $1 }
        #expect(try await admin.send(IdentityAdmin.addGroupDevice, night).status == .noContent)
        let other = ["tenant": "-", "group": "Ward 7", "device": ids[1]]
        #expect(try await admin.send(IdentityAdmin.addGroupDevice, other).status == .noContent)
        let shown: IdentityAdmin.Device = try await admin.call(IdentityAdmin.getDevice, ward)
        #expect(shown.groups == ["Night", "Ward 7"])
        let listed: [IdentityAdmin.Device] = try await admin.call(IdentityAdmin.listGroupDevices, ward)
        #expect(listed.map(\.displayName) == ["tablet 1", "tablet 2"])
        #expect(listed.map(\.groups) == [["Night", "Ward 7"], ["Ward 7"]])
        let groups: [IdentityAdmin.Group] = try await admin.call(IdentityAdmin.listGroups, ward)
        #expect(groups.map(\.displayName) == ["Night", "Ward 7"] && groups.map(\.deviceCount) == [1, 2])
        let nobody = ["tenant": "-", "group": "Night", "device": "tablet 2"]
        for gone in [nobody, night, night] {
            #expect(try await admin.send(IdentityAdmin.removeGroupDevice, gone).status == .noContent)
        }
        // A device that leaves the directory leaves its groups, and a group that is removed leaves its devices.
        #expect(try await admin.send(IdentityAdmin.removeDevice, other).status == .noContent)
        let ward7: IdentityAdmin.Group = try await admin.call(IdentityAdmin.getGroup, ward)
        #expect(ward7.deviceCount == 1)
        #expect(try await admin.send(IdentityAdmin.removeGroup, ward).status == .noContent)
        let alone: IdentityAdmin.Device = try await admin.call(IdentityAdmin.getDevice, ward)
        #expect(alone.groups.isEmpty)
    }
}
