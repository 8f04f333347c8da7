// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import HTTPTypes
import MDMServer
import TestSupport
import Testing

/// The audit log of administrators' acts on devices.
@Suite struct AuditTests: AgentSteps {
    @Test func `every action of an administrator has an entry with its object, and a refused one has none`()
        async throws
    {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, _ in
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                try await push(broker: fixture)
                let sso: MDMAdmin.Profile = try await fixture.call(
                    .post, "/profiles", MDMAdmin.NewProfile.sharedDevice(urls: ["https://login.test"]))
                let device = "/devices/tablet-1"
                let _: MDMAdmin.Command = try await fixture.call(.put, "\(device)/profiles/\(sso.identifier)")
                let _: MDMAdmin.Command = try await fixture.call(.delete, "\(device)/profiles/\(sso.identifier)")
                try await fixture.raw(.post, "\(device)/inventory")
                try await fixture.raw(.delete, "/profiles/\(sso.identifier)")
                let unused: MDMAdmin.EnrollmentProfile = try await fixture.call(
                    .post, "/enrollments", MDMAdmin.NewEnrollment(name: "tablet-2"))
                try await fixture.raw(.delete, "/enrollments/\(unused.id)")
                let udid = try await fixture.call(.get, device, as: MDMAdmin.Device.self).udid
                try await fixture.raw(.delete, device)
                for path in ["/devices/nobody", "/profiles/none", "/enrollments/none"] {
                    #expect(try await fixture.raw(.delete, path).status == .notFound)
                }
                let app = "org.baton.authenticator"
                let expected = [
                    line("mdm.enrollment.make", nil), line("mdm.app.offer", app, "1.0"),
                    line("mdm.command.queue", udid, "InstallApplication \(app)"),
                    line("mdm.profile.add", sso.identifier),
                    line("mdm.command.queue", udid, "InstallProfile \(sso.identifier)"),
                    line("mdm.command.queue", udid, "RemoveProfile \(sso.identifier)"),
                    line("mdm.command.queue", udid, "ProfileList"),
                    line("mdm.command.queue", udid, "ManagedApplicationList"),
                    line("mdm.profile.remove", sso.identifier), line("mdm.enrollment.make", unused.id),
                    line("mdm.enrollment.revoke", unused.id), line("mdm.device.remove", udid),
                ]
                #expect(try await fixture.lines() == expected)
            }
        }
    }

    @Test func `entries are deleted when their retention ends, and the order continues`() async throws {
        try await TestMDM.with { fixture in
            _ = try await fixture.enrollmentProfile(named: "tablet-1")
            fixture.now.advance(days: 399)
            _ = try await fixture.enrollmentProfile(named: "tablet-2")
            let two = try await fixture.entries().map(\.position)
            #expect(two.count == 2 && two[0] < two[1])
            fixture.now.advance(days: 2)
            _ = try await fixture.enrollmentProfile(named: "tablet-3")
            let isSwept = try await fixture.management.sweep(step: 1)
            #expect(isSwept == 1)
            #expect(try await fixture.management.sweep() == 0)
            let left = try await fixture.entries().map(\.position)
            #expect(left.count == 2 && left[0] == two[1] && left[0] < left[1])
            #expect(try await fixture.entries(count: 1).map(\.position) == [left[1]])
        }
    }
}

private func line(_ action: String, _ subject: String?, _ detail: String? = nil) -> [String?] {
    [action, subject, detail]
}

extension TestMDM {
    fileprivate func entries(count: Int = 100) async throws -> [MDMAdmin.AuditEntry] {
        try await call(.get, "/audit?count=\(count)")
    }

    /// Action, subject and detail of each line; the subject of the first enrollment is left out.
    fileprivate func lines() async throws -> [[String?]] {
        let entries = try await entries()
        #expect(entries.allSatisfy { $0.actor == "operator" })
        return entries.enumerated().map { [$1.action, $0 == 0 ? nil : $1.subject, $1.detail] }
    }
}
