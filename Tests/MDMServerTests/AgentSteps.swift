// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Authenticator
import DeviceManagement
import Foundation
import HTTPTypes
import Logging
import Testing

/// What the suites about the device's agent do alike.
protocol AgentSteps {}

extension AgentSteps {
    func enrolled(_ agent: EnrolmentAgent, _ world: World) async throws {
        try await agent.enroll(profile: try await world.enrolmentProfile(named: "till-1"))
        #expect(agent.settings.enrolled)
        // The visit that follows an enrolment by itself is over when this one is.
        try await agent.visit()
    }

    func push(broker world: World) async throws {
        let app = MDMAdmin.PushedApp(configuration: ["sharedDeviceMode": .boolean(true)])
        let _: MDMAdmin.Command = try await world.call(.put, "/devices/till-1/apps/org.baton.authenticator", app)
    }

    func device(_ world: World) -> Directory { world.folder.appending("management") }

    func marker(_ world: World) -> ManagedMarker { ManagedMarker(path: world.folder.path + "/public/managed") }

    func isMarked(_ world: World) throws -> Bool { try world.folder.appending("public").names() == ["managed"] }

    var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    func configuration(_ world: World, wire: RouterLink.Wire) -> EnrolmentAgent.Configuration {
        EnrolmentAgent.Configuration(
            device: DeviceDescription(name: "till"), interval: .seconds(86_400), marker: marker(world),
            connect: { identity, _ in RouterLink(world: world, certificate: identity.certificates[0], wire: wire) })
    }

    func agent(_ world: World, wire: RouterLink.Wire) throws -> EnrolmentAgent {
        try EnrolmentAgent(directory: device(world), configuration: configuration(world, wire: wire), logger: quiet)
    }

    func withAgent(
        _ world: World, _ body: (EnrolmentAgent, RouterLink.Wire) async throws -> Void
    ) async throws {
        let wire = RouterLink.Wire()
        try await withAgent(try agent(world, wire: wire)) { try await body($0, wire) }
    }

    func withAgent(_ agent: EnrolmentAgent, _ body: (EnrolmentAgent) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await agent.run() }
            agent.session(is: .held)
            try await body(agent)
            group.cancelAll()
        }
    }
}

extension ManagedSettings {
    /// A device that nobody manages.
    static let none = ManagedSettings(
        enrolled: false, brokerManaged: false, profileShared: false, appConfigurationShared: false, apps: [])
}
