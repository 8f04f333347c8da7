// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
import CommandLineInterface
import FoundationEssentials
import MDMProtocol
import Processes
import Redaction
import UnixSocket

/// A complete environment on the loopback interface and in one folder: a server, an organisation, one device with its
/// agent, and apps.
final class LocalEnvironment {
    let layout: EnvironmentLayout
    let programs: ProgramFiles
    let browser: BrowserChoice
    /// A command through which the device's programs are started; empty for none.
    let deviceWrapper: [String]
    private(set) var facts: EnvironmentFacts
    /// The running programs.
    let running: Programs
    /// The lock that this process holds while it uses the environment.
    private let lock: Descriptor

    /// Opens the environment in a folder, or creates a new one there.
    ///
    /// - Parameter restarted: called when a program of the device has been started again, with the exit status of its
    ///   former process; nil if the environment ends when such a program exits.
    /// - Throws: ``CommandFailure``, for example if another process uses the folder.
    init(
        layout: EnvironmentLayout, programs: ProgramFiles, browser: BrowserChoice, deviceWrapper: [String] = [],
        restarted: (@Sendable (Program, ExitStatus) -> Void)? = nil
    ) throws {
        running = Programs(restarted: restarted)
        self.layout = layout
        self.programs = programs
        self.browser = browser
        self.deviceWrapper = deviceWrapper
        try layout.refuseStrangers()
        try layout.make()
        lock = try layout.lock()
        let known = try layout.knownFacts()
        facts = try known ?? EnvironmentFacts.new()
        if known == nil { try save() }
    }

    private func save() throws { try layout.write(facts, to: layout.facts) }

    var admin: AdminClient { AdminClient(socket: layout.server + "/admin.sock") }
    var device: OperatorClient { OperatorClient(runtimeDirectory: layout.run) }

    // MARK: Programs

    func startServer() async throws {
        for port in [facts.port, facts.mdmPort, facts.administrationPort].compactMap(\.self)
        where !FreePort.isFree(port) { throw taken(port) }
        let path = layout.configuration + "/baton-server.json"
        try layout.write(ServerFile(layout: layout, facts: facts), to: path)
        try await start("baton-server", programs.server, arguments: ["--config", path])
    }

    func startDevice() async throws {
        let path = layout.configuration + "/batond.json"
        try layout.write(DeviceFile(layout: layout, facts: facts), to: path)
        try await start(
            "batond", programs.broker, arguments: ["--config", path], through: deviceWrapper, isStartedAgain: true)
    }

    /// Starts the agent with the environment's browser, or with `other` if it is given.
    func startAgent(_ other: BrowserChoice? = nil) async throws {
        let path = layout.configuration + "/baton-agent.json"
        let browser = other ?? browser
        // A program that acts as a person needs no policies, and could not operate a browser that has policies.
        var host: String?
        if case .window = browser { host = programs.browserHost }
        try layout.write(AgentFile(layout: layout, command: try browser.command(layout), host: host), to: path)
        try await start(
            "baton-agent", programs.agent, arguments: ["--config", path], through: deviceWrapper, isStartedAgain: true)
    }

    /// Makes the MDM push the home screen's configuration, and opens the home screen in a window.
    func startHome() async throws {
        try await pushHomeScreen()
        try await start(
            "home", programs.baton,
            arguments: ["home", "--pushed-config", layout.homeScreen, "--runtime-directory", layout.run],
            isClosedByPerson: true)
    }

    /// Starts the home screen without a window.
    func startHomePage() async throws {
        try await start(
            "home", programs.baton,
            arguments: ["home", "--address-only", "--runtime-directory", layout.run], through: deviceWrapper)
    }

    /// Makes the MDM push the home screen's configuration, unless the MDM has already pushed somebody else's
    /// configuration to the device.
    private func pushHomeScreen() async throws {
        if FileManager.default.fileExists(atPath: layout.homeScreen), try await !deviceSetup.hasPushedHomeScreen {
            return
        }
        try await deviceSetup.push(
            HomeScreenPayload(facts, wardRound: programs.wardRound, configuration: configuration))
        try await carryOut()
    }

    // MARK: The person at the browser

    /// Puts a person in front of the device: writes the file that makes the browser program act as this person.
    ///
    /// - Parameter withoutBrowser: whether the program posts the pages' forms itself, without a browser.
    func seat(_ person: EnvironmentFacts.Person, withoutBrowser: Bool = false) throws {
        try layout.write(
            SeatedPerson(username: person.userName, password: person.password, withoutBrowser: withoutBrowser),
            to: layout.person)
    }

    /// Removes the person and their password.
    func leave() throws { try FileManager.default.removeItem(atPath: layout.person) }

    /// The file that the browser program reads; `Tests/Person/person.py` describes it.
    private struct SeatedPerson: Encodable {
        let username: String
        let password: String
        let withoutBrowser: Bool
    }

    /// Makes the Cloud Device Administrator join the device, through a program that acts as a person.
    func join(through program: String) async throws {
        let carol = try person(with: EnvironmentFacts.cloudDeviceAdministrator)
        try seat(carol, withoutBrowser: true)
        defer { try? leave() }
        try await startAgent(.person(program: program))
        _ = try await device.ask(.join(joinOrder))
        try await blocking { [running] in try running.stop("baton-agent") }
    }

    private func person(with role: String) throws -> EnvironmentFacts.Person {
        guard let person = facts.people.first(where: { $0.role == role }) else {
            throw CommandFailure(
                code: "environment_person", message: "Nobody in this environment is \(role).",
                remedy: "Remove the environment's folder and start it again.")
        }
        return person
    }

    /// Returns the error for a port that is in use. An environment cannot change its ports, because they are part of
    /// its addresses.
    private func taken(_ port: UInt16) -> CommandFailure {
        CommandFailure(
            code: "port_in_use", message: "Another program uses port \(port), which this environment needs.",
            remedy: "Find it with: ss -ltnp; end it, or remove the folder \(layout.root) for a new environment.")
    }

    private func start(
        _ name: String, _ executable: String, arguments: [String], through wrapper: [String] = [],
        isClosedByPerson: Bool = false, isStartedAgain: Bool = false
    ) async throws {
        let order = Program.Order(
            name: name, executable: executable, arguments: arguments, wrapper: wrapper, layout: layout,
            isClosedByPerson: isClosedByPerson, isStartedAgain: isStartedAgain)
        try await blocking { [running] in try running.start(order) }
    }

    // MARK: The organisation

    /// Creates the organisation with its people and apps if it does not exist yet.
    func prepareOrganisation() async throws {
        guard facts.tenantID == nil else { return }
        facts.tenantID = try await Organisation(admin: admin, facts: facts).make()
        try save()
    }

    // MARK: The device's management

    var deviceSetup: LocalDeviceSetup {
        LocalDeviceSetup(admin: admin, facts: facts, layout: layout)
    }

    /// Enrolls the device in the MDM.
    func enroll() async throws {
        let profile = try await deviceSetup.enrollmentProfile()
        _ = try await device.ask(.enroll(profile: profile.exposed))
    }

    /// Makes the MDM push the broker package, the apps and the profile, and waits until the device has installed them.
    func push() async throws {
        try await makePackage(programs.broker, as: "batond")
        for sample in EnvironmentFacts.App.Sample.allCases {
            try await makePackage(programs.program(of: sample), as: sample.rawValue)
        }
        let profile = try await deviceSetup.register()
        try await deviceSetup.push(profile: profile)
        facts.profile = profile
        try await carryOut()
        facts.isPushed = true
        try save()
    }

    /// Creates the package of a program: the program without debugging information, as Debian ships it.
    private func makePackage(_ program: String, as name: String) async throws {
        let target = layout.packages + "/" + name
        let isMade = try await blocking {
            try ChildProcess.spawn(
                executable: "/usr/bin/strip", arguments: ["-o", target, program], environment: [:]
            ).waitForExit().isSuccess
        }
        guard isMade else {
            throw CommandFailure(
                code: "package_not_made", message: "\(target) could not be made.",
                remedy: "Install binutils: scripts/setup.")
        }
    }

    /// Makes the device carry out the MDM's pending commands.
    func carryOut() async throws {
        try await device.checkIn()
        let failures = try await deviceSetup.failures()
        guard failures.isEmpty else {
            throw CommandFailure(
                code: "device_refused", message: "The device did not carry out: \(failures.joined(separator: "; "))",
                remedy: "Read the logs in \(layout.logs).")
        }
    }

    /// Removes the shared device profile from the device.
    func removeProfile() async throws {
        guard let profile = facts.profile else { return }
        try await deviceSetup.remove(profile: profile)
        try await carryOut()
    }

    /// The instructions with which the device joins the directory.
    var joinOrder: JoinOrder {
        JoinOrder(
            loginURL: facts.loginURL, registrationURL: facts.registrationURL, tenant: EnvironmentFacts.domain,
            deviceName: LocalDeviceSetup.deviceName)
    }

    func tenantID() throws -> String {
        guard let tenantID = facts.tenantID else {
            throw CommandFailure(
                code: "environment_unprepared", message: "The environment has no organisation yet.",
                remedy: "Start it with: baton-dev up.")
        }
        return tenantID
    }

    /// Writes the configuration of the sample apps.
    func prepareApps() throws {
        for app in facts.apps {
            try FileManager.default.createDirectory(
                atPath: layout.data(ofApp: app.number), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try layout.write(
                AppFile(layout: layout, facts: facts, tenantID: try tenantID(), app: app),
                to: configuration(of: app.number))
        }
    }

    func configuration(of app: Int) -> String { layout.app(app) + "/config.json" }
}
