// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import BrokerIPC
import BrokerProtocol
import Foundation
import MSAL
import Processes
import Redaction
import Synchronization
import TestSupport
import Testing

@testable import baton_dev

/// A device of real programs: the broker and its agent, enrolled and joined through the load balancer.
final class RealDevice: Sendable {
    let name: String
    /// The login name of the device's worker.
    let user: String
    let cluster: FaultCluster
    private let layout: EnvironmentLayout

    static let bundle = "org.baton.test"

    /// Starts the programs, makes the device a shared device, and joins it.
    init(named name: String, at cluster: FaultCluster) async throws {
        (self.name, self.cluster) = (name, cluster)
        user = try cluster.add(user: name)
        layout = EnvironmentLayout(root: cluster.scratch.path(name))
        try FileManager.default.createDirectory(atPath: layout.root, withIntermediateDirectories: true)
        // The browser trusts the key of the nodes' certificate.
        try FileManager.default.createSymbolicLink(
            atPath: layout.server, withDestinationPath: cluster.nodes[0].server.state)
        for folder in [layout.device, layout.run, layout.profiles, layout.configuration, layout.logs] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let broker: [String: any Sendable] = [
            "directory": layout.device, "runtimeDirectory": layout.run, "managedMarker": layout.managedMarker,
            "trustRoots": layout.trustRoots, "checkInInterval": 60, "logLevel": "info",
            "resolve": Dictionary(uniqueKeysWithValues: FaultCluster.names.values.map { ($0, "127.0.0.1") }),
        ]
        let person = BrowserChoice.person(program: Repository.root + "/Tests/Person/person.py")
        let agent = try AgentFile(layout: layout, command: try person.command(layout), host: nil)
        try await start("batond", try JSONSerialization.data(withJSONObject: broker))
        try await start("baton-agent", try JSONEncoder().encode(agent))
        try await enroll()
        try await join()
    }

    private func start(_ program: String, _ configuration: Data) async throws {
        let file = "\(layout.configuration)/\(program).json"
        try configuration.write(to: URL(filePath: file))
        _ = try await RunningProgram.start(
            try RunningProgram.built(program), ["--config", file], log: "\(name)-\(program).log",
            in: cluster.scratch)
    }

    // MARK: Setup

    /// Registers the apps and the profile of all real devices with the MDM.
    static func registerContent(at cluster: FaultCluster) async throws {
        for bundle in [LocalDeviceSetup.brokerBundle, bundle] {
            let app = MDMAdmin.NewApp(
                path: "/usr/bin/true", bundleIdentifier: bundle, version: BrokerVersion.current, title: bundle)
            _ = try await cluster.mdm(MDMAdmin.addApp, body: app)
        }
        _ = try await cluster.mdm(MDMAdmin.addProfile, body: MDMAdmin.NewProfile.sharedDevice(urls: [cluster.loginURL]))
    }

    private func enroll() async throws {
        let enrollment = try await cluster.mdm(MDMAdmin.addEnrollment, body: MDMAdmin.NewEnrollment(name: name))
        let made = try JSONDecoder().decode(MDMAdmin.EnrollmentProfile.self, from: Data(enrollment.utf8))
        try await expectDone(.enroll(profile: made.profile.exposed))
        let configurations: [(String, MDMAdmin.Configuration)] = [
            (LocalDeviceSetup.brokerBundle, ["sharedDeviceMode": .boolean(true)]),
            (
                Self.bundle,
                ["clientId": .string(cluster.app), "redirectUri": .string(FaultCluster.redirect)]
            ),
        ]
        for (bundle, configuration) in configurations {
            _ = try await cluster.mdm(
                MDMAdmin.installApp, ["device": name, "app": bundle],
                body: MDMAdmin.PushedApp(configuration: configuration))
        }
        let profiles: [MDMAdmin.Profile] = try await cluster.read(
            MDMAdmin.listProfiles(["tenant": cluster.tenant]).path)
        for profile in profiles {
            _ = try await cluster.mdm(
                MDMAdmin.installProfile, ["device": name, "profile": profile.identifier], body: [String: String]())
        }
        try await expectDone(.checkIn)
    }

    private func join() async throws {
        try seat("carol@\(FaultCluster.domain)")
        try await expectDone(
            .join(
                JoinOrder(
                    loginURL: cluster.loginURL, registrationURL: cluster.registrationURL, tenant: cluster.tenant,
                    deviceName: name)))
        try leave()
    }

    /// Sends a request to the broker, which must succeed.
    private func expectDone(_ request: OperatorRequest) async throws {
        switch try await OperatorSocket(path: layout.run + "/control.sock").ask(request) {
        case .done, .joined, .checkedIn(done: _, failed: 0, later: 0): return
        case let reply: throw TestProblem("\(name): \(reply)")
        }
    }

    /// Makes the device ask for commands.
    func checkIn() async throws { try await expectDone(.checkIn) }

    // MARK: The worker

    /// What the device keeps on disk.
    var folder: DeviceFolder { DeviceFolder(path: layout.device) }

    /// An app on the device, with a connection of its own.
    func app() throws -> App {
        try App(
            socket: layout.run + "/broker.sock", marker: nil, patience: .seconds(30), clientID: cluster.app,
            redirectURI: FaultCluster.redirect, authority: "\(cluster.loginURL)/\(cluster.tenant)")
    }

    /// Signs the worker in through an app.
    func signIn(_ app: App) async throws -> MSALAccount {
        try seat(user)
        defer { try? leave() }
        return try await app.signIn().account
    }

    private func seat(_ user: String) throws {
        let person: [String: any Sendable] = [
            "username": user, "password": FaultCluster.password, "withoutBrowser": true,
        ]
        try JSONSerialization.data(withJSONObject: person).write(to: URL(filePath: layout.person))
    }

    private func leave() throws { try FileManager.default.removeItem(atPath: layout.person) }
}

extension FaultCluster {
    /// Makes a call to device management at the first node, which must succeed, and returns the answer's body.
    func mdm<Body, Reply>(
        _ endpoint: Endpoint<Body, Reply>, _ places: [String: String] = [:], body: some Encodable
    ) async throws -> String {
        let method = endpoint.operation.method.rawValue
        let path = endpoint.operation.path(places.merging(["tenant": tenant]) { own, _ in own })
        let text = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
        let answer = await administer(method, path, text, at: 0)
        guard let body = answer.value else { throw TestProblem("\(method) \(path): \(answer)") }
        return body
    }
}
