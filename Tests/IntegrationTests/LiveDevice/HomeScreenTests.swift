// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import TestSupport
import Testing

extension LiveDevice {
    /// The workers' home screen, in a real Chromium.
    @Suite struct HomeScreenTests {
        private struct Seen: Decodable {
            let faults: [String]
            let milliseconds: [Int]?
            /// The number of attempts that were left out because only root can make them.
            let untried: Int?
        }

        @Test func `the home screen serves its own page only in a browser of its user`() async throws {
            let live = try await LiveEnvironment.ready()
            let home = try await live.startHome([])
            let seen = try await Self.play(["address": try Self.address(home)], parts: ["refusals"], in: live)
            #expect(seen.faults == [])
            guard (seen.untried ?? 0) > 0 else { return }
            withKnownIssue("Only root can act as another user.") {
                Issue.record("no other user's process asked for the page")
            }
        }

        @Test("workers sign in and hand over at the home screen by keyboard and touch, in every language and size")
        func handover() async throws {
            let live = try await LiveEnvironment.ready()
            let place = live.path("home-\(UInt32.random(in: 0...UInt32.max))")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            let program = place + "/pid"
            let (first, second) = (try live.person("Amara"), try live.person("Bo"))
            let domain = String(try #require(first.userName.split(separator: "@").last))
            let configuration: [String: Any] = [
                "organisation": "Seaview Hospital", "contact": "Help desk 4242", "logo": Self.logo,
                "preferredDomain": domain,
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
            let wanted: [String: Any] = [
                "address": try Self.address(home), "seat": live.path("configuration/person.json"),
                "people": [first, second].map {
                    [
                        "username": $0.userName, "password": $0.password, "withoutBrowser": !live.hasBrowser,
                        "addressHas": "domain_hint=\(domain)",
                    ] as [String: Any]
                },
                "names": [first.displayName, second.displayName], "program": program,
            ]
            let seen = try await Self.play(wanted, in: live)
            #expect(seen.faults == [])
            #expect(seen.milliseconds?.count == 2)
            try live.leave()
            try await live.settle()
        }

        @Test(
            "a home screen shows what the MDM pushes, while it is open, and what it showed before once that is removed")
        func pushed() async throws {
            let live = try await LiveEnvironment.ready()
            let place = live.path("home-\(UInt32.random(in: 0...UInt32.max))")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            let configuration: [String: Any] = [
                "organisation": "Local", "tiles": [["title": "Local tile", "program": "/bin/true"]],
            ]
            try JSONSerialization.data(withJSONObject: configuration).write(to: URL(filePath: place + "/home.json"))
            _ = try await live.signIn("Amara", through: try live.app(1))
            let pushed = live.path("public/home-screen.json")
            let home = try await live.startHome(["--config", place + "/home.json", "--pushed-config", pushed])
            let image = try Data(contentsOf: URL(filePath: Self.logo))
            let tiles: [[String: Any]] = [
                ["Title": "Ward round", "Program": "/bin/true"],
                ["Title": "Intranet", "Page": "https://login.baton.test/", "Icon": image],
            ]
            let screen: [String: Any] = [
                "Organisation": "Contoso", "Logo": image, "Colour": "#7A1F5C", "PreferredDomain": "contoso.example",
            ]
            let (first, second) = (place + "/first.mobileconfig", place + "/second.mobileconfig")
            try Self.profile(screen.merging(["Tiles": tiles]) { $1 }).write(to: URL(filePath: first))
            let more = tiles + [["Title": "Pharmacy", "Program": "/bin/true"]]
            try Self.profile(screen.merging(["Tiles": more]) { $1 }).write(to: URL(filePath: second))
            let baton = try RunningProgram.built("baton")
            func admin(_ words: String...) -> [String] {
                [baton, "admin", "profile"] + words + ["--server", live.path("server")]
            }
            func push(_ file: String) -> [[String]] {
                [
                    admin("add", "--file", file, "--replace"),
                    admin("push", "com.contoso.home", "--device", "ward-7-tablet"), checkIn,
                ]
            }
            let checkIn = [baton, "device", "check-in", "--runtime-directory", live.path("run")]
            let wanted: [String: Any] = [
                "address": try Self.address(home), "push": push(first), "replace": push(second),
                "remove": [admin("remove", "com.contoso.home", "--device", "ward-7-tablet"), checkIn],
            ]
            #expect(try await Self.play(wanted, by: "home_pushed.py", in: live).faults == [])
            #expect(!FileManager.default.fileExists(atPath: pushed))
            try await live.settle()
        }

        @Test("a hand-over that waits for unsaved work shows which app, how long it has, and what happens then")
        func unsavedWork() async throws {
            let live = try await LiveEnvironment.ready()
            let place = live.path("home-\(UInt32.random(in: 0...UInt32.max))")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            let app = try #require(live.facts.apps.first { $0.number == 1 })
            let configuration: [String: Any] = [
                "tiles": [["title": "Ward notes", "program": "/bin/true", "bundleId": app.bundleID]]
            ]
            try JSONSerialization.data(withJSONObject: configuration).write(to: URL(filePath: place + "/home.json"))
            _ = try await live.signIn("Amara", through: try live.app(1))
            let editor = try RawApp(live)
            let epoch = try await editor.greet(wantsEvents: true).epoch
            let client = ClientRequest(clientID: app.clientID)
            _ = try await editor.ask(.unsavedWork, UnsavedWorkReport(client: client, isUnsaved: true).entries).get()
            let home = try await live.startHome(["--config", place + "/home.json"])
            let wanted = ["address": try Self.address(home)]
            async let seen = Self.play(wanted, parts: ["unsaved"], in: live)
            #expect(try await editor.answer() == .message(.event(.willEnd(epoch, milliseconds: 5000))))
            let faults = try await seen.faults
            #expect(faults == [])
            // Under load, the five seconds may already be over, and the connection may have ended.
            _ = try? await editor.ask(.readyToEnd, client.entries)
            try await live.settle()
        }

        /// Runs a program of Tests/Person that acts as a person at the home screen, and returns what it saw.
        private static func play(
            _ wanted: [String: Any], by person: String = "home.py", parts: [String] = [], in live: LiveEnvironment
        ) async throws -> Seen {
            let file = live.path("wanted-\(UInt32.random(in: 0...UInt32.max)).json")
            try JSONSerialization.data(withJSONObject: wanted).write(to: URL(filePath: file))
            let person = try await live.runAside(
                program: Repository.root + "/.venv-foreign/bin/python3",
                [Repository.root + "/Tests/Person/" + person, file] + parts)
            #expect(try await person.waitForExit() == 0)
            let line = try #require(try person.log().split(separator: "\n").last)
            return try JSONDecoder().decode(Seen.self, from: Data(line.utf8))
        }

        /// A profile with one home screen, as an administrator writes it.
        private static func profile(_ screen: [String: Any]) throws -> Data {
            let payload = screen.merging([
                "PayloadType": "org.baton.homescreen", "PayloadVersion": 1,
                "PayloadIdentifier": "com.contoso.home.screen", "PayloadUUID": UUID().uuidString,
            ]) { $1 }
            let profile: [String: Any] = [
                "PayloadType": "Configuration", "PayloadVersion": 1, "PayloadIdentifier": "com.contoso.home",
                "PayloadUUID": UUID().uuidString, "PayloadDisplayName": "Home screen", "PayloadContent": [payload],
            ]
            return try PropertyListSerialization.data(fromPropertyList: profile, format: .xml, options: 0)
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

    /// Starts the home screen of this environment with a window on this screen, and returns when its page can be opened.
    func startHome(_ arguments: [String], on display: String) async throws -> RunningProgram {
        try await RunningProgram.start(
            RunningProgram.built("baton"), ["home", "--runtime-directory", path("run")] + arguments,
            environment: ["DISPLAY": display, "WAYLAND_DISPLAY": "", "DBUS_SESSION_BUS_ADDRESS": "disabled:"],
            log: "home-\(UInt32.random(in: 0...UInt32.max)).log", in: scratch)
    }

    /// Starts the bar of this environment. The lines that it prints are in its log, and its input stays open.
    func startBar() async throws -> RunningProgram {
        let name = "bar-\(UInt32.random(in: 0...UInt32.max))"
        return try await RunningProgram.start(
            "/bin/sh",
            [
                "-c", #"mkfifo "$0" && exec "$@" <>"$0""#, scratch.path(name + ".input"),
                try RunningProgram.built("baton"), "home", "--bar", "--runtime-directory", path("run"),
            ], log: name + ".log", awaitsReady: false, in: scratch)
    }
}
