// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import DeviceHTTPS
import DeviceSettings
import Files
import Foundation
import HTTPTypes
import Logging
import MDMClient
import MDMProtocol
import Testing

/// Steps that the suites about the device's agent share.
protocol AgentSteps {}

extension AgentSteps {
    func enrolled(_ agent: MDMClientService, _ fixture: TestMDM) async throws {
        try await agent.enroll(profile: try await fixture.enrollmentProfile(named: "tablet-1"))
        #expect(agent.settings.enrolled)
        // The enrollment starts a check-in of its own. That check-in has ended when this call returns.
        try await agent.checkIn()
    }

    func push(broker fixture: TestMDM) async throws {
        let app = MDMAdmin.PushedApp(configuration: ["sharedDeviceMode": .boolean(true)])
        let _: MDMAdmin.Command = try await fixture.call(.put, "/devices/tablet-1/apps/org.baton.authenticator", app)
    }

    func device(_ fixture: TestMDM) -> Directory { fixture.folder.appending("management") }

    func marker(_ fixture: TestMDM) -> ManagedMarker {
        ManagedMarker(path: fixture.folder.path + "/public/managed")
    }

    func isMarked(_ fixture: TestMDM) throws -> Bool {
        try fixture.folder.appending("public").names() == ["managed"]
    }

    var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    func configuration(_ fixture: TestMDM, wire: RouterLink.Wire) -> MDMClientService.Configuration {
        MDMClientService.Configuration(
            device: DeviceDescription(name: "tablet"), interval: .seconds(86_400), marker: marker(fixture),
            connect: { identity, _ in RouterLink(fixture: fixture, certificate: identity.certificates[0], wire: wire) })
    }

    func agent(_ fixture: TestMDM, wire: RouterLink.Wire) throws -> MDMClientService {
        try MDMClientService(
            directory: device(fixture), configuration: configuration(fixture, wire: wire), logger: quiet)
    }

    func withAgent(
        _ fixture: TestMDM, _ body: (MDMClientService, RouterLink.Wire) async throws -> Void
    ) async throws {
        let wire = RouterLink.Wire()
        try await withAgent(try agent(fixture, wire: wire)) { try await body($0, wire) }
    }

    func withAgent(_ agent: MDMClientService, _ body: (MDMClientService) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await agent.run() }
            agent.session(is: .held)
            try await body(agent)
            group.cancelAll()
        }
    }
}

extension ManagedSettings {
    /// The settings of an unmanaged device.
    static let none = ManagedSettings(
        enrolled: false, brokerManaged: false, profileShared: false, appConfigurationShared: false, apps: [])
}
