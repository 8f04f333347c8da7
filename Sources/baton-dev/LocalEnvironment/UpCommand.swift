// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import CommandLineInterface
import FoundationEssentials
import Glibc
import Processes
import UnixSocket

/// Starts a complete environment and keeps it running.
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Start a whole environment on loopback: server, organisation, one device, apps. Ctrl-C ends it.",
        discussion: """
            Every process runs as you, so this demonstrates the hand-over but not isolation between Unix users. Started \
            again in the same folder, the environment continues from its last state, except that a worker's session ends \
            with the device. If batond or baton-agent exits, it is started again, as on a device; if it does so more than \
            five times within a minute, or if another program exits, the environment stops with exit code 1. A second Ctrl-C kills programs that are still stopping.
            """)

    @OptionGroup var options: EnvironmentOptions
    @Option(
        help: """
            A program that acts as the person at the browser, instead of a window. It is called as a browser is, with \
            --person and the path of configuration/person.json in the environment's folder: write who signs in there before an \
            app does, with the mode 600. Tests/Person/person.py --help describes that file.
            """)
    var person: String?
    @Flag(help: "Do not join the device, so that you can; by default the demonstration's administrator joins it.")
    var unjoined = false
    @Option(help: "The program that acts as this administrator.")
    var administrator = "Tests/Person/person.py"
    @OptionGroup var output: OutputOptions

    func run() async throws {
        umask(0o077)
        try await output.reporting {
            let narrator = Narrator(isJSON: output.json)
            let browser = person.map { BrowserChoice.person(program: URL(filePath: $0).path) } ?? .window
            try await browser.check()
            let local = try LocalEnvironment(
                layout: options.layout, programs: try options.programs, browser: browser,
                restarted: { program, status in
                    var event = NarratedEvent(.restarted)
                    (event.program, event.status, event.log) = (program.name, status.text, program.log)
                    event.pid = program.process.pid
                    try? narrator.tell(
                        event, lines: ["", "\(program.name) exited (\(status.text)) and has been started again."])
                })
            let signals = await Signals { [running = local.running] _ in running.end(.asked) }
            defer { signals.stop() }
            try await bringUp(local, narrator)
            try await end(local, narrator)
        }
    }

    /// The program that joins the device; nil if the command does not join it.
    private var joiner: String? { unjoined ? nil : URL(filePath: administrator).path }

    /// Starts the environment. Does not throw if the environment begins to end meanwhile.
    private func bringUp(_ local: LocalEnvironment, _ narrator: Narrator) async throws {
        do {
            try await local.up(narrator, administrator: joiner)
            var ready = NarratedEvent(.ready)
            let summary = try await EnvironmentSummary(local)
            ready.environment = summary
            try local.layout.write(text: summary.environmentFile, to: local.layout.environment)
            try narrator.tell(ready, lines: summary.lines(people: local.facts.people))
            try ServiceNotification.ready()
            if local.showsHomeScreen { try await local.startHome() }
        } catch {
            guard !local.running.isEnding else { return }
            local.running.end(.failed)
            try await local.running.ended.value()
            throw error
        }
    }

    /// Waits until the environment ends, and reports why.
    private func end(_ local: LocalEnvironment, _ narrator: Narrator) async throws {
        let ending = try await local.running.ending.value()
        // Everything is stopped even if the report cannot be printed.
        let told = Result { try tell(of: ending, narrator) }
        try await local.running.ended.value()
        if case .died(let program, let status, let log) = ending {
            throw CommandFailure(
                code: "program_died",
                message: "\(program) exited unexpectedly (\(status.text)), so the environment was stopped.",
                remedy: "Read \(log), and start the environment again; everything that was acknowledged is kept.")
        }
        try told.get()
        try narrator.tell(NarratedEvent(.ended), lines: [])
    }

    private func tell(of ending: Programs.Ending, _ narrator: Narrator) throws {
        switch ending {
        case .failed: break
        case .asked:
            try narrator.tell(
                NarratedEvent(.ending), lines: ["", "Ending the environment; the same command continues it."])
        case .died(let program, let status, let log):
            var death = NarratedEvent(.died)
            (death.program, death.status, death.log) = (program, status.text, log)
            try narrator.tell(death, lines: ["", "\(program) has died; ending the environment."])
        }
    }
}

/// The folder of an environment and the programs that it uses.
struct EnvironmentOptions: ParsableArguments {
    @Option(help: "The environment's folder.") var directory = ".baton"
    @Option(help: "The program of the sample app for the terminal.")
    var sample = "Examples/.build/debug/firstline-worker"
    @Option(help: "The program of the sample app with a window.")
    var wardRound = "Examples/.build/debug/ward-round"

    var layout: EnvironmentLayout { EnvironmentLayout(root: URL(filePath: directory).path) }
    var programs: ProgramFiles { get throws { try ProgramFiles(firstlineWorker: sample, wardRound: wardRound) } }
}

extension LocalEnvironment {
    /// Starts everything, whatever state the environment was left in.
    ///
    /// - Parameter administrator: the program that joins the device at the first start; nil for none.
    fileprivate func up(_ narrator: Narrator, administrator: String?) async throws {
        func step(_ name: String, _ text: String, run body: () async throws -> Void) async throws {
            try narrator.say("  \(text)")
            try await narrator.step(name, text, run: body)
        }
        try await step("server", "starting the server") { try await startServer() }
        try await step("organisation", "preparing \(EnvironmentFacts.organisation)") {
            try await prepareOrganisation()
            try prepareApps()
        }
        try await step("device", "starting the device") { try await startDevice() }
        if !facts.isPushed {
            try await step("enrollment", "enrolling the device") { try await enroll() }
            try await step("push", "pushing the broker package, the apps and the profile") { try await push() }
        }
        if let administrator, try await device.status().deviceID == nil {
            try await BrowserChoice.check(person: administrator)
            try await step("join", "joining the device to the directory, as Carol") {
                try await join(through: administrator)
            }
        }
        try await step("agent", "starting the agent, which opens the browser") { try await startAgent() }
    }

    /// Whether this environment can show the home screen.
    var showsHomeScreen: Bool {
        guard case .window = browser else { return false }
        return browser.hasScreen
    }
}
