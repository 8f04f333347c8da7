// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc
import UnixSocket

/// Starts a whole world and keeps it up.
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Start a whole world on loopback: server, organisation, one device, two apps. Ctrl-C ends it.",
        discussion: """
            Every process runs as you, so this shows the hand-over and not the walls between users. Started again in the \
            same folder it goes on where it was left, except that a worker's session ends with the device.
            """)

    @OptionGroup var options: WorldOptions
    @Option(help: "A program that acts as the person at the browser, instead of a window.")
    var person: String?

    func run() async throws {
        umask(0o077)
        let world = try World(
            layout: options.layout, programs: try options.programs,
            browser: person.map { .person(program: URL(filePath: $0).path) } ?? .window)
        let ended = Signals.next([SIGINT, SIGTERM])
        do {
            try await world.up { OutputOptions.print(["  " + $0]) }
            OutputOptions.print(try Welcome(world).lines)
            try ServiceNotification.ready()
            _ = await ended.value
            OutputOptions.print(["", "Ending the world; it goes on with: make up"])
            try world.stop()
        } catch let failure as CommandFailure {
            OutputOptions.print(["baton: \(failure)"], to: STDERR_FILENO)
            try world.stop()
            throw failure.exitCode
        }
    }
}

/// Where a world is and what it is made of.
struct WorldOptions: ParsableArguments {
    @Option(help: "The world's folder.") var directory = ".baton"
    @Option(help: "The sample app's program.")
    var sample = "Examples/FirstlineWorker/.build/debug/firstline-worker"

    var layout: WorldLayout { WorldLayout(root: URL(filePath: directory).path) }
    var programs: ProgramFiles { get throws { try ProgramFiles(sample: sample) } }
}

extension World {
    /// Brings everything up, from wherever it was left.
    func up(_ say: (String) -> Void) async throws {
        say("starting the server")
        try startServer()
        say("preparing \(WorldFacts.organisation)")
        try await prepareOrganisation()
        say("starting the device")
        try startDevice()
        try startAgent()
        try prepareApps()
        guard !facts.isPushed else { return }
        say("enrolling the device")
        try await enroll()
        say("pushing the broker package, the apps and the profile")
        try await push()
    }
}

/// What a person reads when the world is up.
struct Welcome {
    let lines: [String]

    init(_ world: World) throws {
        let facts = world.facts
        let people = facts.people.map { person in
            [person.userName, person.password, person.role ?? person.jobTitle]
        }
        let apps = facts.apps.prefix(2).map { app in
            "  BATON_SOCKET=\(world.layout.run)/broker.sock \(world.programs.sample) --config \(world.configuration(of: app.number))"
        }
        lines =
            ["", "\(WorldFacts.organisation) is up.", ""]
            + Table.lines(["USER NAME", "PASSWORD", "WHO"], people).map { "  " + $0 }
            + [
                "", "  identity platform  \(facts.loginURL)/\(try world.tenantID())",
                "  Graph              \(facts.graphURL)", "  logs               \(world.layout.logs)", "",
                "The device is enrolled, and not joined yet. Carol joins it, at the browser that opens:",
                "  baton device join --login \(facts.loginURL) --registration \(facts.registrationURL) "
                    + "--tenant \(WorldFacts.domain) --name \(Fleet.deviceName)",
                "", "Then two apps, each in a terminal of its own (type: sign-in, me, note hello, sign-out):",
            ] + apps + [
                "", "Device and organisation, from another terminal, first:",
                "  export BATON_RUNTIME=\(world.layout.run) BATON_SERVER=\(world.layout.server)",
                "  baton device status", "  baton admin user list", "", "Ctrl-C ends the world.",
            ]
    }
}

/// Waiting for a signal.
enum Signals {
    /// A task that ends when one of `signals` comes; they no longer end the process.
    static func next(_ signals: [Int32]) -> Task<Int32, Never> {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        let sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
        return Task {
            defer { for source in sources { source.cancel() } }
            for await number in stream { return number }
            return 0
        }
    }
}
