// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

extension LiveDevice {
    /// The workers' home screen, in a real Chromium.
    @Suite struct HomeScreenTests {
        private struct Seen: Decodable {
            let faults: [String]
            let milliseconds: [Int]
        }

        @Test("workers sign in and hand over at the home screen by keyboard and touch, in every language and size")
        func handover() async throws {
            let live = try await LiveEnvironment.ready()
            let place = live.path("home-\(UInt32.random(in: 0...UInt32.max))")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            let program = place + "/pid"
            let configuration: [String: Any] = [
                "organisation": "Seaview Hospital", "contact": "Help desk 4242", "logo": Self.logo,
                "tiles": [
                    [
                        "title": "Ward round", "program": "/bin/sh",
                        "arguments": [
                            "-c", "echo $$ >\(program).new && mv \(program).new \(program) && exec sleep 1000",
                        ],
                    ],
                    ["title": "Pharmacy", "program": "/nowhere/pharmacy"],
                    ["title": "Intranet", "page": "https://login.baton.test/"],
                    ["title": String(repeating: "Donaudampfschiff", count: 12), "program": "/bin/true"],
                ],
            ]
            let file = place + "/home.json"
            try JSONSerialization.data(withJSONObject: configuration).write(to: URL(filePath: file))
            let home = try await live.startHome(["--config", file])
            let (first, second) = (try live.person("Amara"), try live.person("Bo"))
            let wanted: [String: Any] = [
                "address": try Self.address(home), "seat": live.path("configuration/person.json"),
                "people": [first, second].map {
                    ["username": $0.userName, "password": $0.password, "withoutBrowser": !live.hasBrowser]
                        as [String: Any]
                },
                "names": [first.displayName, second.displayName], "program": program,
            ]
            try JSONSerialization.data(withJSONObject: wanted).write(to: URL(filePath: place + "/wanted.json"))
            let person = try await live.runAside(
                program: Repository.root + "/.venv-foreign/bin/python3",
                [Repository.root + "/Tests/Person/home.py", place + "/wanted.json"])
            #expect(try await person.waitForExit() == 0)
            let line = try #require(try person.log().split(separator: "\n").last)
            let seen = try JSONDecoder().decode(Seen.self, from: Data(line.utf8))
            #expect(seen.faults == [])
            #expect(seen.milliseconds.count == 2)
            try live.leave()
            try await live.settle()
        }

        /// A PNG of one pixel.
        private static let logo = Repository.root + "/Tests/Person/pixel.png"

        private static func address(_ home: RunningProgram) throws -> String {
            try #require(try home.log().split(separator: "\n").first { $0.hasPrefix("http://127.0.0.1:") }).description
        }
    }
}

extension LiveEnvironment {
    /// Starts the home screen of this environment without a window, and returns when its page can be opened.
    func startHome(_ arguments: [String]) async throws -> RunningProgram {
        try await RunningProgram.start(
            RunningProgram.built("baton"),
            ["home", "--address-only", "--runtime-directory", path("run")] + arguments,
            log: "home-\(UInt32.random(in: 0...UInt32.max)).log", in: scratch)
    }
}
