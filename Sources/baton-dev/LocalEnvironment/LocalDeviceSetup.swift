// SPDX-License-Identifier: Apache-2.0
import AdminAPI
internal import BrokerIPC
import CommandLineInterface
internal import Files
import FoundationEssentials
import MDMProtocol
import Redaction

/// The administrator's part of the setup of the environment's only device. It makes the same calls as `baton admin`.
struct LocalDeviceSetup: Sendable {
    let admin: AdminClient
    let facts: EnvironmentFacts
    let layout: EnvironmentLayout

    static let deviceName = "ward-7-tablet"
    static let brokerBundle = "org.baton.authenticator"
    /// The identifier of the home screen's profile.
    private static let homeScreen = "org.baton.up.home"
    private static let sharedDeviceMode = "sharedDeviceMode"

    /// Creates the enrollment profile of the device.
    ///
    /// - Returns: the profile, in Base64.
    func enrollmentProfile() async throws -> Sensitive<String> {
        let made = try await admin.call(
            MDMAdmin.addEnrollment(place(), body: MDMAdmin.NewEnrollment(name: Self.deviceName)))
        return made.profile
    }

    /// Registers the packages and the profile with the MDM.
    ///
    /// - Returns: the profile's identifier.
    func register() async throws -> String {
        try await add("batond", Self.brokerBundle, title: "Baton Authenticator")
        for app in facts.apps { try await add(app.sample.rawValue, app.bundleID, title: app.title) }
        let profile = try await admin.call(
            MDMAdmin.addProfile(place(), query: Self.replacing, body: .sharedDevice(urls: [facts.loginURL])))
        return profile.identifier
    }

    private func add(_ package: String, _ bundleID: String, title: String) async throws {
        let app = MDMAdmin.NewApp(
            path: layout.packages + "/" + package, bundleIdentifier: bundleID, version: BrokerVersion.current,
            title: title)
        try await admin.call(MDMAdmin.addApp(place(), body: app))
    }

    /// Queues the commands that make the device a shared device.
    func push(profile: String) async throws {
        try await install(Self.brokerBundle, [Self.sharedDeviceMode: .boolean(true)])
        for app in facts.apps {
            try await install(app.bundleID, try configuration(of: app))
        }
        try await install(profile)
    }

    /// Registers an app of the developer's own, and queues its configuration.
    func install(
        _ bundleID: String, clientID: String, redirectURI: String, dataFolders: [String]
    ) async throws -> MDMAdmin.Command {
        // The app runs where its developer builds it, so the package is only a name for its configuration.
        let app = MDMAdmin.NewApp(
            path: "/usr/bin/true", bundleIdentifier: bundleID, version: BrokerVersion.current, title: bundleID)
        let known = try await admin.call(MDMAdmin.listApps(place()))
        if !known.contains(where: { $0.bundleIdentifier == bundleID }) {
            try await admin.call(MDMAdmin.addApp(place(), body: app))
        }
        return try await install(bundleID, Self.configuration(clientID, redirectURI, dataFolders: dataFolders))
    }

    /// Why the device did not carry out a command; nil if it did.
    func failure(of command: MDMAdmin.Command) async throws -> String? {
        let commands = try await admin.call(MDMAdmin.listCommands(place()))
        guard let command = commands.first(where: { $0.uuid == command.uuid }) else { return "the command is gone" }
        guard command.state != "acknowledged" || !command.errors.isEmpty else { return nil }
        let reasons = command.errors.map(\.message).joined(separator: " ")
        return reasons.isEmpty ? "the command is \(command.state)" : reasons
    }

    private static func configuration(
        _ clientID: String, _ redirectURI: String, dataFolders: [String] = []
    ) -> MDMAdmin.Configuration {
        var configuration: MDMAdmin.Configuration = [
            PropertyKey.clientID.rawValue: .string(clientID), PropertyKey.redirectURI.rawValue: .string(redirectURI),
        ]
        if !dataFolders.isEmpty {
            configuration[PropertyKey.dataFolders.rawValue] = .array(dataFolders.map { .string($0) })
        }
        return configuration
    }

    /// Returns the configuration of a sample app. It makes the agent take away the app's data if the app does not erase
    /// it.
    private func configuration(of app: EnvironmentFacts.App) throws -> MDMAdmin.Configuration {
        let real = EnvironmentLayout(root: try Directory(path: layout.root).realPath())
        return Self.configuration(app.clientID, app.redirectURI, dataFolders: [real.data(ofApp: app.number)])
    }

    private func install(_ profile: String) async throws {
        try await admin.call(MDMAdmin.installProfile(place(["profile": profile])))
    }

    @discardableResult
    private func install(
        _ bundleID: String, _ configuration: MDMAdmin.Configuration
    ) async throws -> MDMAdmin.Command {
        try await admin.call(
            MDMAdmin.installApp(
                place(["app": bundleID]), body: MDMAdmin.PushedApp(configuration: configuration)))
    }

    /// Registers the profile of the home screen in place of an earlier one, and queues its installation.
    func push(_ homeScreen: HomeScreenPayload) async throws {
        let identifier = Self.homeScreen
        let profile = Profile(
            identifier: identifier, uuid: UUID().uuidString,
            payloads: [
                Payload(identifier: identifier + ".screen", uuid: UUID().uuidString, content: .homeScreen(homeScreen))
            ])
        let file = Data(try profile.xml()).base64EncodedString()
        try await admin.call(MDMAdmin.addProfile(place(), query: Self.replacing, body: .file(file)))
        try await install(identifier)
    }

    /// Whether the device has the profile of the home screen.
    var hasPushedHomeScreen: Bool {
        get async throws {
            let device = try await admin.call(MDMAdmin.getManagedDevice(place()))
            return device.profiles.contains { $0.identifier == Self.homeScreen }
        }
    }

    /// Queues the removal of the profile.
    func remove(profile: String) async throws {
        try await admin.call(MDMAdmin.uninstallProfile(place(["profile": profile])))
    }

    /// Returns the device's failed commands as lines. Leaves out the commands about the developer's own apps, because a
    /// refused command remains in the list.
    func failures() async throws -> [String] {
        let commands = try await admin.call(MDMAdmin.listCommands(place()))
        let own = Set(facts.apps.map(\.bundleID) + [Self.brokerBundle])
        return commands.filter { $0.state != "acknowledged" || !$0.errors.isEmpty }.filter { command in
            command.requestType != "InstallApplication"
                || own.contains(command.subject?.split(separator: " ").first.map(String.init) ?? "")
        }.map(\.line)
    }

    /// Returns the placeholders of a path of the device.
    private func place(_ places: [String: String] = [:]) -> [String: String] {
        places.merging(["tenant": "-", "device": Self.deviceName]) { place, _ in place }
    }

    /// The query that lets a profile replace an existing one.
    private static let replacing = [("replace", "true")]
}
