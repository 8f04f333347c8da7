// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Processes

/// The resources of the demo: an environment, the person at its browser, the running apps, a clock.
final class Stage {
    let local: LocalEnvironment
    /// The program that searches for traces of a worker.
    let canary: String
    private(set) var apps: [Int: SampleApp] = [:]
    /// The bar of the session, until the session ends.
    private(set) var bar: KioskBar?
    /// Amara's account identifier, as the first app received it.
    var amaraID: String?
    let narrator: Narrator

    init(
        layout: EnvironmentLayout, programs: ProgramFiles, person: String, canary: String, narrator: Narrator
    ) throws {
        self.canary = canary
        self.narrator = narrator
        // Checked before anything starts: if the final search is impossible, the demo must not begin.
        let inspection = try Inspection.find(program: canary)
        local = try LocalEnvironment(
            layout: layout, programs: programs, browser: .person(program: person),
            deviceWrapper: inspection.wrapper)
    }

    /// Puts a person in front of the device.
    func seat(_ person: EnvironmentFacts.Person) throws { try local.seat(person) }

    /// Removes the person and their password.
    func leave() throws { try local.leave() }

    /// Starts what a worker sees before any app: the home screen and the bar.
    func startHome() async throws {
        try await local.startHomePage()
        bar = try KioskBar(local)
    }

    /// Waits until the bar has ended with its session.
    func awaitEndOfBar() async throws {
        try await bar?.awaitEnd()
        bar = nil
    }

    func open(_ number: Int) throws -> SampleApp {
        let app = try SampleApp(number: number, local: local)
        apps[number] = app
        return app
    }

    func app(_ number: Int) throws -> SampleApp {
        guard let app = apps[number] else { throw StoryFailure("app \(number) is not open") }
        return app
    }

    /// Runs one step and reports how long it took.
    func step(_ step: StoryStep, _ body: () async throws -> Void) async throws {
        try await narrator.step(
            step.rawValue, step.text,
            line: { "  ✓ \(Self.milliseconds($0))  \(Self.milliseconds($1))  \(step.text)" }, run: body)
    }

    private static func milliseconds(_ count: Int64) -> String {
        let text = String(count)
        return String(repeating: " ", count: max(0, 6 - text.count)) + text + " ms"
    }

    func end() async throws {
        for app in apps.values { try app.stop() }
        bar?.process.kill()
        local.running.end(.asked)
        try await local.running.ended.value()
    }
}

/// Fails the demo unless `condition` holds.
func check(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard condition else { throw StoryFailure(otherwise()) }
}
