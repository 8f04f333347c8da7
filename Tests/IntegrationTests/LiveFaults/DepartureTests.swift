// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Handover
import Synchronization
import TestSupport
import Testing

extension LiveFaults {
    /// A device that was removed from its directory, or that joined the wrong directory, can recover.
    @Suite struct DepartureTests {
        @Test func `a device that was removed reports it, leaves, joins again and signs workers in`() async throws {
            let live = try await LiveEnvironment.ready()
            let former = try #require(try await live.status().deviceID)
            try await live.administer("device", "remove", former)
            try await live.registration(is: .removed)
            let said = try await live.baton("device", "status", "--runtime-directory", live.path("run"))
            #expect(said.contains("next      Run: baton device leave, then: baton device join."))
            let refusal = try await live.command(
                "join", "--login", live.facts.loginURL, "--registration",
                live.facts.registrationURL, "--tenant", EnvironmentFacts.domain, "--name", "ward-7-tablet")
            #expect(refusal.code == 1)
            #expect(refusal.text.contains("already_joined") && refusal.text.contains("baton device leave"))

            let left = try await live.command("leave")
            // The directory has already removed the device.
            #expect(left.code == 0 && left.text == "The device has left its directory.\n", "\(left.text)")
            try await live.comesBack()
            let free = try await live.status()
            #expect(free.deviceID == nil && free.registration == nil && free.enrolled && free.reason == "not_joined")
            #expect(try await live.command("leave").text.contains("not_joined"))
            try await live.joinAgain()
            #expect(try await live.status().deviceID != former)
            try await live.signIn("Amara", through: try live.app(1))
            try await live.settle()
        }

        @Test func `a device can leave while a worker is signed in, and then is not in the directory`() async throws {
            let live = try await LiveEnvironment.ready()
            let former = try #require(try await live.status().deviceID)
            let app = try live.app(1)
            try await live.signIn("Amara", through: app)
            let left = try await live.command("leave")
            #expect(left.code == 0, "\(left.text)")
            try await live.comesBack()
            #expect(try live.isClean)
            try await live.findsNothing(of: "Amara")
            #expect(try await !live.directoryLists(former))
            app.close()
            try await live.joinAgain()
        }

        @Test func `an app erases its data of the last worker although the device is no longer shared`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let erasures = Mutex(0)
            let handover = try Handover(app.application)
            try handover.eraser("notes") { _ in erasures.withLock { $0 += 1 } }
            try await live.signIn("Amara", through: try live.app(2))
            let changes = try handover.changes(for: "window").makeAsyncIterator()
            while await changes.next()?.current == nil {}
            try await live.administer("profile", "remove", live.facts.profile, "--device", "ward-7-tablet")
            try await live.ask(.checkIn)
            try await live.settle()
            let status = try await live.status()
            #expect(status.session == "ready" && status.mode != "shared")
            #expect(status.lockedApps == [] && erasures.withLock(\.self) == 1)
            try await live.administer("profile", "push", live.facts.profile, "--device", "ward-7-tablet")
            try await live.ask(.checkIn)
        }

        @Test func `a device can leave without its server, and reports what the directory still lists`() async throws {
            let live = try await LiveEnvironment.ready()
            let former = try #require(try await live.status().deviceID)
            try await live.kill(.server)
            let left = try await live.command("leave")
            #expect(left.code == 0 && left.text.contains("baton admin device remove \(former)"), "\(left.text)")
            try await live.comesBack()
            try await live.start(.server)
            #expect(try await live.directoryLists(former))
            try await live.joinAgain()
            try await live.administer("device", "remove", former)
        }

        @Test func `leaving that a crash cuts off is finished by the next start`() async throws {
            let live = try await LiveEnvironment.ready()
            let points = Failpoint.allCases.filter { $0.step == .departure && $0 != .departureManagementErased }
            for point in points {
                try await live.kill(.broker)
                try await live.start(.broker, dyingAt: point)
                try await live.awaitAgent()
                async let answer = live.command("leave")
                try await live.awaitEnd(of: .broker)
                #expect(try await answer.code == 69, "\(point.rawValue)")
                try await live.start(.broker)
                try await live.hasLeft()
                try await live.comesBack()
                #expect(try await live.status().deviceID == nil, "\(point.rawValue)")
                try await live.joinAgain()
            }
            try await live.signIn("Amara", through: try live.app(1))
            try await live.settle()
        }

        @Test func `a reset leaves nothing of a worker, works without a server, and is asked for twice`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.signIn("Amara", through: try live.app(1))
            try await live.settle()
            let silent = try await live.command("reset")
            #expect(silent.code == 1 && silent.text.contains("not_confirmed"), "\(silent.text)")
            #expect(try await live.status().deviceID != nil)
            try await live.kill(.server)
            try await live.kill(.broker)
            let (device, backup) = (live.path("device"), live.path("backup"))
            try FileManager.default.copyItem(atPath: device, toPath: backup)
            defer {
                #expect(throws: Never.self) {
                    try FileManager.default.removeItem(atPath: device)
                    try FileManager.default.moveItem(atPath: backup, toPath: device)
                }
            }
            // A death between two steps of the erasure does not change the result.
            try await live.start(.broker, dyingAt: .departureManagementErased)
            try await live.awaitAgent()
            async let answer = live.command("reset", "--yes")
            try await live.awaitEnd(of: .broker)
            #expect(try await answer.code == 69)
            try await live.start(.broker)
            try await live.hasLeft()
            try await live.comesBack()
            let status = try await live.status()
            #expect(status.deviceID == nil && !status.enrolled && status.mode == "personal")
            let names = try live.names(in: "device")
            #expect(Set(names).isDisjoint(with: ["join.json", "management", "offline", "tombstones.json"]), "\(names)")
            #expect(
                try live.names(in: "device/keys").allSatisfy { !$0.hasPrefix("device") && !$0.hasPrefix("transport") })
            try await live.findsNothing(of: "Amara")
            let again = try await live.command("reset", "--yes")
            #expect(again.code == 0 && again.text == "The device is reset.\n", "\(again.text)")
            try await live.comesBack()
            try await live.kill(.broker)
        }
    }
}

extension LiveEnvironment {
    /// Runs `baton device …` and returns its exit code and both outputs.
    func command(_ words: String...) async throws -> (code: Int32, text: String) {
        try await Scratch.with { scratch in
            let run = try await CommandRun(["device"] + words + ["--runtime-directory", path("run")], in: scratch)
            return (run.code, run.output + run.errors)
        }
    }

    /// Waits until `join.json` and `departure.json` have been erased.
    fileprivate func hasLeft() async throws {
        try await FolderWatch(path("device")).until("left") { [self] in
            try Set(names(in: "device")).isDisjoint(with: ["join.json", "departure.json"])
        }
    }

    /// Has Carol join the device again, and waits until the device is back.
    fileprivate func joinAgain() async throws {
        try await comesBack()
        try seat("Carol")
        try await join()
        try leave()
        try await comesBack()
    }

    fileprivate func directoryLists(_ device: String) async throws -> Bool {
        try AdminSocket(state: path("server")).call("GET", "/identity/tenants/-/devices").body.contains(device)
    }
}
