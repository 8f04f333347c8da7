// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Glibc
import TestSupport
import Testing
import UnixSocket

extension LiveDevice {
    /// The broker identifies an app by what the kernel reports at connect time; a process cannot change it later.
    @Suite struct AppIdentityTests {
        /// What a process does in order to be identified as the app that has its own socket.
        enum Forgery: String, CaseIterable, Sendable {
            case execAfterConnect, replacedExecutable, preloadedLibrary, forgedFlatpakFile, endedProcess,
                reusedProcessNumber
        }

        @Test(arguments: Forgery.allCases)
        func `nothing that a program of the session does makes it an app with a socket of its own`(
            forgery: Forgery
        ) async throws {
            let live = try await LiveEnvironment.ready()
            try await live.with(registry: Self.socketBound(live)) {
                // The processes connect before the broker starts, so the broker sees the processes as they are at that
                // time.
                try await live.kill(.broker)
                let socket = try Listener(path: live.path("run/broker.sock"), mode: 0o600)
                let manager = try live.serviceManager(sockets: [("broker", socket.descriptor)])
                try await Scratch.with { scratch in
                    let peers = try await Peers(live.path("run/broker.sock"), live.facts.apps[2].clientID, scratch)
                    let forger = try await peers.start(forgery, as: live.facts.apps[2].bundleID)
                    try await live.start(.broker, by: manager)
                    let said = try await peers.answer(of: forger)
                    #expect(said.contains("-51414") && said.contains("other_app"), "\(said)")
                }
            }
        }

        @Test
        func `an app is served through its own socket, whatever happens to its process, and only as itself`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let (first, third) = (live.facts.apps[0], live.facts.apps[2])
            try await live.with(registry: Self.socketBound(live)) {
                let own = live.path("run/apps/\(third.bundleID).sock")
                #expect(try Self.mode(of: live.path("run/apps")) == 0o700)
                try await Scratch.with { scratch in
                    let peers = try await Peers(own, third.clientID, scratch)
                    let app = try await peers.start(.execAfterConnect, as: third.bundleID)
                    #expect(try await peers.answer(of: app).contains(#""success":"1""#))
                    let other = try await Peers(own, first.clientID, scratch).ask()
                    #expect(other.contains("-51414") && other.contains("other_app"), "\(other)")
                }
                // A socket that a service manager passes to the broker is identified by its name.
                try await live.kill(.broker)
                let handed = try Listener(path: live.path("run/handed.sock"), mode: 0o600)
                let manager = try live.serviceManager(sockets: [("app-" + third.bundleID, handed.descriptor)])
                try await live.start(.broker, by: manager)
                try await Scratch.with { scratch in
                    let said = try await Peers(live.path("run/handed.sock"), third.clientID, scratch).ask()
                    #expect(said.contains(#""success":"1""#), "\(said)")
                }
            }
        }

        @Test func `an app with folders of data is served only in a process that can be ended with the session`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = live.facts.apps[2]
            let folder = live.path("apps/3/data")
            try await live.with(registry: #"{"apps":[{"id":"\#(app.bundleID)","dataFolders":["\#(folder)"]}]}"#) {
                try await live.kill(.broker)
                let socket = try Listener(path: live.path("run/broker.sock"), mode: 0o600)
                let manager = try live.serviceManager(sockets: [("broker", socket.descriptor)])
                try await Scratch.with { scratch in
                    let peers = try await Peers(live.path("run/broker.sock"), app.clientID, scratch)
                    // The process that connected has ended, and another process asks on that connection.
                    let other = try await peers.start(.endedProcess, as: app.bundleID)
                    try await live.start(.broker, by: manager)
                    let said = try await peers.answer(of: other)
                    #expect(said.contains("-51414") && said.contains("other_app"), "\(said)")
                    #expect(try await peers.ask().contains(#""success":"1""#))
                }
            }
        }

        @Test func `only a process that the broker sees registers an eraser`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = live.facts.apps[2]
            try await live.kill(.broker)
            let socket = try Listener(path: live.path("run/broker.sock"), mode: 0o600)
            let manager = try live.serviceManager(sockets: [("broker", socket.descriptor)])
            try await Scratch.with { scratch in
                let peers = try await Peers(live.path("run/broker.sock"), app.clientID, scratch, .registerEraser)
                // The process that connected has ended, and another process registers on that connection.
                let other = try await peers.start(.endedProcess, as: app.bundleID)
                try await live.start(.broker, by: manager)
                let said = try await peers.answer(of: other)
                #expect(said.contains("-51414") && said.contains("other_app"), "\(said)")
                // The broker says that nobody is signed in, but only to a process that could register.
                let own = try await peers.ask()
                #expect(own.contains("Nobody is signed in"), "\(own)")
            }
        }

        @Test func `only processes of an app's own user count as that app`() async throws {
            try #require(getuid() == 0, "a process of another user needs the right to make one")
            let live = try await LiveEnvironment.ready()
            let (first, second) = (live.facts.apps[0], live.facts.apps[1])
            let registry = #"{"apps":[{"id":"\#(second.bundleID)","level":"user","user":61201}]}"#
            try await live.with(registry: registry) {
                try await live.open(toUsers: true)
                try await Scratch.with { scratch in
                    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.path)
                    let socket = live.path("run/broker.sock")
                    let mine = try await Peers(socket, second.clientID, scratch)
                    let theirs = try await Peers(socket, first.clientID, scratch)
                    #expect(try await mine.ask(as: 61_201).contains(#""success":"1""#))
                    #expect(try await theirs.ask(as: 61_201).contains("other_app"))
                    #expect(try await mine.ask().contains("other_app"))
                    #expect(try await theirs.ask().contains(#""success":"1""#))
                    #expect(try await mine.ask(as: 61_202).contains("ended"))
                }
                try await live.open(toUsers: false)
            }
        }

        @Test(
            arguments: [
                (#"{"apps":[]}"#, 0o666, "registry_mode"), (#"{"apps":[{}]}"#, 0o600, "registry_malformed"),
                (#"{"apps":[],"x":1}"#, 0o600, "registry_malformed"),
                (
                    #"{"apps":[{"id":"a","level":"user","user":0,"clients":[{"clientId":"c","redirectUris":[]}]}]}"#,
                    0o600,
                    "registry_user_shared"
                ),
            ] as [(String, mode_t, String)])
        func `with an ambiguous registry no app is served, and the reason is reported`(
            registry: String, mode: mode_t, reason: String
        ) async throws {
            let live = try await LiveEnvironment.ready()
            try await live.with(registry: registry, mode: mode) {
                let raw = try RawApp(live)
                try await raw.greet()
                let client = ClientRequest(clientID: live.facts.apps[0].clientID)
                let refusal = try await raw.refusal(.getAccounts, client.entries)
                #expect(refusal.code == .brokerUnavailable && refusal.reason?.rawValue == reason)
            }
        }

        @Test func `a corrected registry applies when an operator reloads it, and with a broken one no app is served`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            try await live.with(registry: "{}") {
                let client = ClientRequest(clientID: live.facts.apps[0].clientID)
                let raw = try RawApp(live)
                try await raw.greet()
                #expect(try await raw.refusal(.getAccounts, client.entries).reason?.rawValue == "registry_malformed")
                try Data(#"{"apps":[]}"#.utf8).write(to: URL(filePath: live.path("configuration/apps.json")))
                #expect(try await live.ask(.reload) == .done)
                _ = try await raw.ask(.getAccounts, client.entries).get()
                try Data("{".utf8).write(to: URL(filePath: live.path("configuration/apps.json")))
                guard case .failed(let failure) = try await live.ask(.reload) else {
                    throw TestProblem("a broken registry is taken")
                }
                #expect(failure.code == "registry_malformed")
                #expect(try await raw.refusal(.getAccounts, client.entries).reason?.rawValue == "registry_malformed")
            }
        }

        private static func socketBound(_ live: LiveEnvironment) -> String {
            #"{"apps":[{"id":"\#(live.facts.apps[2].bundleID)","level":"socket"}]}"#
        }

        private static func mode(of path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
    }
}
