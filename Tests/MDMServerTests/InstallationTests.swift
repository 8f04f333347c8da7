// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Authenticator
import DeviceManagement
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// What becomes of an order that cannot be carried out, or not now.
@Suite struct InstallationTests: AgentSteps {
    @Test(arguments: [RouterLink.PackageFault.breaks, .status(503), .status(429)])
    func `a package that gets lost on its way is fetched again at the next visit`(
        fault: RouterLink.PackageFault
    ) async throws {
        try await World.with { world in
            try await withAgent(world) { agent, wire in
                try await enrolled(agent, world)
                try await world.register("the broker's package")
                try await push(broker: world)
                wire.packageFault.withLock { $0 = fault }
                #expect(try await agent.visit() == VisitReport(done: 0, failed: 0, later: 1))
                #expect(try await world.commands("till-1").map(\.state) == ["notNow"])
                #expect(try device(world).appending("incoming").names() == [])
                wire.packageFault.withLock { $0 = nil }
                #expect(try await agent.visit() == VisitReport(done: 1, failed: 0, later: 0))
                #expect(agent.settings.brokerManaged)
                #expect(try await world.commands("till-1").map(\.state) == ["acknowledged"])
            }
        }
    }

    @Test func `a stop in the middle of a package loses nothing`() async throws {
        try await World.with { world in
            try await withAgent(world) { agent, wire in
                try await enrolled(agent, world)
                try await world.register("the broker's package")
                try await push(broker: world)
                wire.packageFault.withLock { $0 = .stalls }
                agent.poke()
                try await wire.stalled.value()
            }
            #expect(try await world.commands("till-1").map(\.state) == ["sent"])
            try await withAgent(world) { agent, _ in
                try await agent.visit()
                #expect(agent.settings.brokerManaged)
                #expect(try await world.commands("till-1").map(\.state) == ["acknowledged"])
            }
        }
    }

    @Test func `a package that the server does not have is a failure for good`() async throws {
        try await World.with { world in
            try await withAgent(world) { agent, wire in
                try await enrolled(agent, world)
                try await world.register("the broker's package")
                try await push(broker: world)
                wire.packageFault.withLock { $0 = .status(404) }
                #expect(try await agent.visit() == VisitReport(done: 0, failed: 1, later: 0))
                #expect(try await world.commands("till-1").first?.errors.map(\.code) == [5])
            }
        }
    }

    @Test func `a server does on a device what the enrolment grants, and nothing else`() async throws {
        try await World.with { world in
            try await withAgent(world) { agent, _ in
                var profile = try Profile(xml: try await world.enrolmentProfile(named: "till-1"))
                for index in profile.payloads.indices {
                    guard case .enrolment(var server) = profile.payloads[index].content else { continue }
                    server.accessRights = [.inspectProfiles]
                    profile.payloads[index].content = .enrolment(server)
                }
                try await agent.enroll(profile: try profile.xml())
                try await world.register("the broker's package")
                try await push(broker: world)
                let configuration: MDMAdmin.Configuration = ["sharedDeviceMode": .boolean(true)]
                let _: MDMAdmin.Command = try await world.call(
                    .put, "/devices/till-1/apps/org.baton.authenticator/configuration", configuration)
                let sso: MDMAdmin.Profile = try await world.call(
                    .post, "/profiles", MDMAdmin.NewProfile.sharedDevice(urls: []))
                let _: MDMAdmin.Command = try await world.call(.put, "/devices/till-1/profiles/\(sso.identifier)")
                let _: [MDMAdmin.Command] = try await world.call(.post, "/devices/till-1/inventory")
                try await agent.visit()
                let commands = try await world.commands("till-1")
                #expect(
                    commands.map { "\($0.requestType) \($0.errors.map(\.code))" } == [
                        "ManagedApplicationList [9]", "ProfileList []", "InstallProfile [9]", "Settings [9]",
                        "InstallApplication [9]",
                    ])
                #expect(agent.settings.brokerManaged == false)
                #expect(agent.settings.profileShared == false)
            }
        }
    }

    @Test func `only the broker's own extension turns shared mode on`() async throws {
        try await World.with { world in
            try await withAgent(world) { agent, _ in
                try await enrolled(agent, world)
                func push(_ identifier: String, _ change: (inout SSOPayload) -> Void) async throws {
                    var profile = try Profile.sharedDeviceSSO(
                        tenant: try #require(UUID(uuidString: World.tenant)), organization: "Contoso")
                    guard case .extensibleSSO(var sso) = profile.payloads[0].content else {
                        Issue.record("the profile has no single sign-on payload")
                        return
                    }
                    sso.urls = ["https://\(identifier).example"]
                    change(&sso)
                    profile.payloads[0].content = .extensibleSSO(sso)
                    profile.identifier = identifier
                    let file = MDMAdmin.NewProfile.file(Data(try profile.xml()).base64EncodedString())
                    let _: MDMAdmin.Profile = try await world.call(.post, "/profiles", file)
                    let _: MDMAdmin.Command = try await world.call(.put, "/devices/till-1/profiles/\(identifier)")
                    #expect(try await agent.visit().done == 1)
                }
                try await push("other") { $0.extensionIdentifier = "com.fabrikam.sso" }
                #expect(agent.settings.profileShared == false)
                try await push("broker") { _ in }
                #expect(agent.settings.profileShared)
                // Two that contradict each other say nothing.
                try await push("contrary") { $0.extensionData["sharedDeviceMode"] = false }
                #expect(agent.settings.profileShared == false)
            }
        }
    }
}
