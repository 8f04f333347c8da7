// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import DeviceHTTPS
import DeviceSettings
import Files
import Foundation
import HTTPTypes
import MDMClient
import MDMProtocol
import Processes
import Synchronization
import Testing

/// Commands that the device cannot carry out yet, or cannot carry out at all.
@Suite struct InstallationTests: AgentSteps {
    @Test(arguments: [RouterLink.PackageFault.breaks, .status(503), .status(429)])
    func `a package whose download failed is fetched again at the next check-in`(
        fault: RouterLink.PackageFault
    ) async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, wire in
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                try await push(broker: fixture)
                wire.packageFault.withLock { $0 = fault }
                #expect(try await agent.checkIn() == CheckInReport(done: 0, failed: 0, later: 1))
                #expect(try await fixture.changes("tablet-1").map(\.state) == ["notNow"])
                #expect(try device(fixture).appending("incoming").names() == [])
                wire.packageFault.withLock { $0 = nil }
                #expect(try await agent.checkIn() == CheckInReport(done: 2, failed: 0, later: 0))
                #expect(agent.settings.brokerManaged)
                #expect(try await fixture.changes("tablet-1").map(\.state) == ["acknowledged"])
            }
        }
    }

    @Test func `a stop during the download of a package loses nothing`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, wire in
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                try await push(broker: fixture)
                wire.packageFault.withLock { $0 = .stalls }
                agent.poke()
                try await wire.stalled.value()
            }
            #expect(try await fixture.changes("tablet-1").map(\.state) == ["sent"])
            try await withAgent(fixture) { agent, _ in
                try await agent.checkIn()
                #expect(agent.settings.brokerManaged)
                #expect(try await fixture.changes("tablet-1").map(\.state) == ["acknowledged"])
            }
        }
    }

    @Test func `a package that is missing on the server is a permanent failure`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, wire in
                try await enrolled(agent, fixture)
                try await fixture.register("the broker's package")
                try await push(broker: fixture)
                wire.packageFault.withLock { $0 = .status(404) }
                #expect(try await agent.checkIn() == CheckInReport(done: 0, failed: 1, later: 0))
                #expect(try await fixture.commands("tablet-1").first?.errors.map(\.code) == [5])
            }
        }
    }

    @Test func `a server can do on a device only what the enrollment grants`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, _ in
                var profile = try Profile(xml: try await fixture.enrollmentProfile(named: "tablet-1"))
                for index in profile.payloads.indices {
                    guard case .enrollment(var server) = profile.payloads[index].content else { continue }
                    server.accessRights = [.inspectProfiles]
                    profile.payloads[index].content = .enrollment(server)
                }
                try await agent.enroll(profile: try profile.xml())
                try await agent.checkIn()
                try await fixture.register("the broker's package")
                try await push(broker: fixture)
                let configuration: MDMAdmin.Configuration = ["sharedDeviceMode": .boolean(true)]
                let _: MDMAdmin.Command = try await fixture.call(
                    .put, "/devices/tablet-1/apps/org.baton.authenticator/configuration", configuration)
                let sso: MDMAdmin.Profile = try await fixture.call(
                    .post, "/profiles", MDMAdmin.NewProfile.sharedDevice(urls: ["https://login.test"]))
                let _: MDMAdmin.Command = try await fixture.call(.put, "/devices/tablet-1/profiles/\(sso.identifier)")
                let _: [MDMAdmin.Command] = try await fixture.call(.post, "/devices/tablet-1/inventory")
                try await agent.checkIn()
                let commands = try await fixture.commands("tablet-1")
                #expect(
                    commands.prefix(5).map { "\($0.requestType) \($0.errors.map(\.code))" } == [
                        "ManagedApplicationList [9]", "ProfileList []", "InstallProfile [9]", "Settings [9]",
                        "InstallApplication [9]",
                    ])
                #expect(agent.settings.brokerManaged == false)
                #expect(agent.settings.profileShared == false)
            }
        }
    }

    @Test func `only the extension for the broker itself turns shared mode on`() async throws {
        try await TestMDM.with { fixture in
            try await withAgent(fixture) { agent, _ in
                try await enrolled(agent, fixture)
                func push(_ identifier: String, _ change: (inout SSOPayload) -> Void) async throws {
                    var profile = try Profile.sharedDeviceSSO(
                        tenant: try #require(UUID(uuidString: TestMDM.tenant)), organization: "Contoso")
                    guard case .extensibleSSO(var sso) = profile.payloads[0].content else {
                        Issue.record("the profile has no single sign-on payload")
                        return
                    }
                    sso.urls = ["https://\(identifier).example"]
                    change(&sso)
                    profile.payloads[0].content = .extensibleSSO(sso)
                    profile.identifier = identifier
                    let file = MDMAdmin.NewProfile.file(Data(try profile.xml()).base64EncodedString())
                    let _: MDMAdmin.Profile = try await fixture.call(.post, "/profiles", file)
                    let _: MDMAdmin.Command = try await fixture.call(.put, "/devices/tablet-1/profiles/\(identifier)")
                    #expect(try await agent.checkIn().done == 2)
                }
                try await push("other") { $0.extensionIdentifier = "com.fabrikam.sso" }
                #expect(agent.settings.profileShared == false)
                try await push("broker") { _ in }
                #expect(agent.settings.profileShared)
                // If two profiles contradict each other, neither counts.
                try await push("contrary") { $0.extensionData["sharedDeviceMode"] = false }
                #expect(agent.settings.profileShared == false)
            }
        }
    }
}
