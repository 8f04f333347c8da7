// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// The record of what administrators did to devices.
@Suite struct AuditTests: AgentSteps {
    @Test func `every act of an administrator is a line, with what it was done to, and a refused one is none`()
        async throws
    {
        try await World.with { world in
            try await withAgent(world) { agent, _ in
                try await enrolled(agent, world)
                try await world.register("the broker's package")
                try await push(broker: world)
                let sso: MDMAdmin.Profile = try await world.call(
                    .post, "/profiles", MDMAdmin.NewProfile.sharedDevice(urls: []))
                let device = "/devices/till-1"
                let _: MDMAdmin.Command = try await world.call(.put, "\(device)/profiles/\(sso.identifier)")
                let _: MDMAdmin.Command = try await world.call(.delete, "\(device)/profiles/\(sso.identifier)")
                try await world.raw(.post, "\(device)/inventory")
                try await world.raw(.delete, "/profiles/\(sso.identifier)")
                let unused: MDMAdmin.EnrolmentProfile = try await world.call(
                    .post, "/enrolments", MDMAdmin.NewEnrolment(name: "till-2"))
                try await world.raw(.delete, "/enrolments/\(unused.id)")
                let udid = try await world.call(.get, device, as: MDMAdmin.Device.self).udid
                try await world.raw(.delete, device)
                for path in ["/devices/nobody", "/profiles/none", "/enrolments/none"] {
                    #expect(try await world.raw(.delete, path).status == .notFound)
                }
                let app = "org.baton.authenticator"
                let expected = [
                    line("mdm.enrolment.make", nil), line("mdm.app.offer", app, "1.0"),
                    line("mdm.command.queue", udid, "InstallApplication \(app)"),
                    line("mdm.profile.add", sso.identifier),
                    line("mdm.command.queue", udid, "InstallProfile \(sso.identifier)"),
                    line("mdm.command.queue", udid, "RemoveProfile \(sso.identifier)"),
                    line("mdm.command.queue", udid, "ProfileList"),
                    line("mdm.command.queue", udid, "ManagedApplicationList"),
                    line("mdm.profile.remove", sso.identifier), line("mdm.enrolment.make", unused.id),
                    line("mdm.enrolment.revoke", unused.id), line("mdm.device.remove", udid),
                ]
                #expect(try await world.lines() == expected)
            }
        }
    }

    @Test func `lines go when their time is over, and positions go on`() async throws {
        try await World.with { world in
            _ = try await world.enrolmentProfile(named: "till-1")
            world.now.advance(days: 399)
            _ = try await world.enrolmentProfile(named: "till-2")
            #expect(try await world.entries().map(\.position) == [1, 2])
            world.now.advance(days: 2)
            _ = try await world.enrolmentProfile(named: "till-3")
            #expect(try await world.entries().map(\.position) == [2, 3])
            #expect(try await world.entries(count: 1).map(\.position) == [3])
        }
    }
}

private func line(_ action: String, _ subject: String?, _ detail: String? = nil) -> [String?] {
    [action, subject, detail]
}

extension World {
    fileprivate func entries(count: Int = 100) async throws -> [MDMAdmin.AuditEntry] {
        try await call(.get, "/audit?count=\(count)")
    }

    /// Action, subject and detail of each line; the subject of the first enrolment is left out.
    fileprivate func lines() async throws -> [[String?]] {
        let entries = try await entries()
        #expect(entries.allSatisfy { $0.actor == "operator" })
        return entries.map { [$0.action, $0.position == 1 ? nil : $0.subject, $0.detail] }
    }
}
