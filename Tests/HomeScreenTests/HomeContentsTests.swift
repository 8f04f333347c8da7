// SPDX-License-Identifier: Apache-2.0
import Files
import Logging
import MDMProtocol
import TestSupport
import Testing

@testable import HomeScreen

@Suite struct HomeContentsTests {
    /// A home screen with a local configuration, and the file of the pushed configuration.
    private struct Screen {
        let contents: HomeContents
        let file: AtomicFile

        init(_ scratch: Scratch) {
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            file = AtomicFile(path: scratch.path("home-screen.json"))
            contents = HomeContents(
                local: HomeContentsTests.configuration("Local", opening: "/bin/local"), pushed: file.path,
                logger: logger)
        }

        var organisation: String? { contents.current.configuration.organisation }
    }

    private static func configuration(_ organisation: String, opening programs: String...) -> HomeConfiguration {
        var configuration = HomeConfiguration(
            tiles: programs.map { .init(title: $0, target: .program($0, arguments: []), icon: .data(TestImage.png)) })
        configuration.organisation = organisation
        return configuration
    }

    @Test("the pushed configuration takes precedence, changes without a restart, and leaves the local one behind")
    func precedence() async throws {
        try await Scratch.with { scratch in
            let screen = Screen(scratch)
            #expect(screen.organisation == "Local")
            #expect(screen.contents.follow(nil) == false)
            try screen.file.replace(with: Self.configuration("Pushed", opening: "/bin/a").published)
            #expect(screen.contents.follow("1"))
            #expect(screen.organisation == "Pushed" && screen.contents.current.icons.count == 1)
            // The file is read once for each version.
            try screen.file.replace(with: Self.configuration("Later").published)
            #expect(screen.contents.follow("1") == false && screen.organisation == "Pushed")
            #expect(screen.contents.follow("2") && screen.organisation == "Later")
            try screen.file.remove()
            #expect(screen.contents.follow(nil) && screen.organisation == "Local")
        }
    }

    @Test("the pushed configuration is shown before the broker serves")
    func start() async throws {
        try await Scratch.with { scratch in
            let file = AtomicFile(path: scratch.path("home-screen.json"))
            try file.replace(with: Self.configuration("Pushed").published)
            let screen = Screen(scratch)
            #expect(screen.organisation == "Pushed")
            #expect(screen.contents.follow("1") == false)
            // A broker whose MDM has pushed no configuration, such as after a crash in the middle of a removal.
            #expect(screen.contents.follow(nil) && screen.organisation == "Local")
        }
    }

    @Test(
        "a pushed configuration that cannot be read leaves the screen as it is",
        arguments: [nil, "", "{", #"{"logo": "/etc/passwd"}"#, #"{"organization": "x"}"#])
    func unreadable(text: String?) async throws {
        try await Scratch.with { scratch in
            let screen = Screen(scratch)
            try screen.file.replace(with: Self.configuration("Pushed").published)
            #expect(screen.contents.follow("1"))
            if let text { try screen.file.replace(with: Array(text.utf8)) } else { try screen.file.remove() }
            #expect(screen.contents.follow("2") == false && screen.organisation == "Pushed")
            try screen.file.replace(with: Self.configuration("Repaired").published)
            #expect(screen.contents.follow("2") && screen.organisation == "Repaired")
        }
    }

    @Test("the number of a tile never opens anything else, and stays as long as the tile opens the same")
    func numbers() {
        let first = HomeContent(Self.configuration("x", opening: "/bin/a", "/bin/b", "/bin/a"), after: nil)
        #expect(first.tiles == [0, 1, 2] && first.number == 0)
        let second = HomeContent(Self.configuration("x", opening: "/bin/c", "/bin/a", "/bin/b"), after: first)
        #expect(second.tiles == [3, 0, 1] && second.number == 1)
        #expect(second.target(of: 2) == nil)
        let third = HomeContent(Self.configuration("x", opening: "/bin/a", "/bin/a"), after: second)
        #expect(third.tiles == [0, 4])
        #expect(third.target(of: 0) == .program("/bin/a", arguments: []) && third.target(of: 3) == nil)
    }
}
