// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What the story plays on: a world, the person at its browser, the apps in hand, a clock.
final class Stage {
    let world: World
    let canary: String
    private(set) var apps: [Int: SampleApp] = [:]
    /// Amara's account identifier, as the first app learnt it.
    var amaraID: String?
    private let clock = ContinuousClock()
    private let begin: ContinuousClock.Instant

    init(layout: WorldLayout, programs: ProgramFiles, person: String, canary: String) throws {
        self.canary = canary
        world = try World(layout: layout, programs: programs, browser: .person(program: person))
        begin = clock.now
    }

    /// Puts somebody in front of the device.
    func seat(_ person: WorldFacts.Person) throws {
        try world.layout.write(["username": person.userName, "password": person.password], to: world.layout.person)
    }

    /// The person leaves, and their password with them.
    func leave() throws { try FileManager.default.removeItem(atPath: world.layout.person) }

    func open(_ number: Int) throws -> SampleApp {
        let app = try SampleApp(number: number, world: world)
        apps[number] = app
        return app
    }

    func app(_ number: Int) throws -> SampleApp {
        guard let app = apps[number] else { throw StoryFailure("app \(number) is not open") }
        return app
    }

    /// Plays one step and prints how long it took.
    func step(_ text: String, _ body: () async throws -> Void) async throws {
        let start = clock.now
        try await body()
        let end = clock.now
        OutputOptions.print(["  ✓ \(Self.milliseconds(end - begin)) ms  \(Self.milliseconds(end - start)) ms  \(text)"])
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        let text = String(Int(milliseconds))
        return String(repeating: " ", count: max(0, 6 - text.count)) + text
    }

    func end() throws {
        for app in apps.values { try app.stop() }
        try world.stop()
    }
}

/// Fails the story unless `condition` holds.
func check(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard condition else { throw StoryFailure(otherwise()) }
}
