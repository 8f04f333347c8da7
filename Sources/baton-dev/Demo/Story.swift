// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
import CommandLineInterface
import FoundationEssentials
import Glibc
internal import Processes

/// The hand-over from Amara to Bo. Every step is checked.
struct Story {
    let stage: Stage

    private let canaries: CanarySearch
    /// The number differs in each run, so a trace that contains it was left by this run.
    private static let note = "The patient in bed 12 asks for the window seat, call \(Int.random(in: 1..<1 << 52))"

    init(_ stage: Stage) {
        self.stage = stage
        canaries = CanarySearch(stage, program: stage.canary)
    }

    func play() async throws {
        try stage.narrator.say("Amara hands the device to Bo:")
        try await prepare()
        try await amaraSignsIn()
        try await amaraSignsOut()
        try await boSignsIn()
        try await stage.step(.searchClean) {
            try await canaries.expectNone()
        }
        try await stage.step(.profileRemoved) {
            try await local.removeProfile()
            let status = try await settled()
            try check(status.mode != "shared" && status.session == "ready", "the device is \(status)")
        }
    }

    private var local: LocalEnvironment { stage.local }

    // MARK: The device

    private func prepare() async throws {
        try await stage.step(.server) {
            try await local.startServer()
            try await local.prepareOrganisation()
            try local.prepareApps()
        }
        try await stage.step(.device) {
            try await local.startDevice()
            try await local.startAgent()
            try await expect(mode: "personal", reason: "not_configured")
        }
        try await stage.step(.enrollment) { try await local.enroll() }
        try await stage.step(.push) {
            try await local.push()
        }
        try await stage.step(.notJoined) {
            try await expect(mode: "incomplete", reason: "not_joined")
            let answer = try stage.open(1).ask("device")
            try check(answer["mode"] == nil && answer["error"] != nil, "app 1 says \(answer)")
        }
        try await stage.step(.joinRefused) { try await refusedJoin() }
        try await stage.step(.join) {
            try stage.seat(try local.facts.person("Carol"))
            _ = try await local.device.ask(.join(local.joinOrder))
            try stage.leave()
            try await expect(mode: "shared", reason: "shared")
            try await stage.startHome()
        }
    }

    /// Returns the device's status once no sign-out is running.
    private func settled() async throws -> DeviceStatus {
        // A sign-out request is answered when the device is ready.
        _ = try await local.device.ask(.signOut(fromBrowser: false))
        return try await local.device.status()
    }

    private func refusedJoin() async throws {
        try stage.seat(try local.facts.person("Chen"))
        do {
            _ = try await local.device.ask(.join(local.joinOrder))
        } catch let failure as CommandFailure {
            try check(failure.code == "authorization_failed", "the refusal is \(failure)")
            try stage.leave()
            return
        }
        throw StoryFailure("a worker joined the device")
    }

    private func expect(mode: String, reason: String) async throws {
        let status = try await local.device.status()
        try check(
            status.mode == mode && status.reason == reason, "the device is \(status.mode) (\(status.reason))")
    }

    // MARK: The workers

    private func amaraSignsIn() async throws {
        let amara = try local.facts.person("Amara")
        try await stage.step(.sharedDevice) {
            let answer = try stage.app(1).ask("device")
            try check(answer["mode"] == "shared" && answer["signUp"] == "hidden", "app 1 says \(answer)")
        }
        try await stage.step(.signIn) {
            try stage.seat(amara)
            let answer = try stage.app(1).ask("sign-in")
            try check(answer["username"] == amara.userName && answer["id"] != nil, "app 1 says \(answer)")
            stage.amaraID = answer["id"]
            try stage.leave()
        }
        try await stage.step(.singleSignOn) {
            let answer = try stage.open(2).ask("me")
            try check(answer["displayName"] == amara.displayName, "app 2 says \(answer)")
        }
        try await stage.step(.note) {
            let note = try stage.app(1).ask("note \(Self.note)")
            try check(note["error"] == nil, "app 1 says \(note)")
            let answer = try stage.open(3).ask("me")
            try check(answer["displayName"] == amara.displayName, "app 3 says \(answer)")
            try stage.app(3).send(SIGSTOP)
        }
    }

    private func amaraSignsOut() async throws {
        let app1 = try stage.app(1)
        let app2 = try stage.app(2)
        try await stage.step(.searchSees) {
            try await canaries.mark(try local.facts.person("Amara"), note: Self.note)
            try await canaries.expectHits()
        }
        try await stage.step(.signOut) {
            app1.forget()
            let answer = try app2.ask("sign-out")
            try check(answer["error"] == nil, "app 2 says \(answer)")
        }
        try await stage.step(.notified) {
            let event = try app1.receive("that nobody is signed in") {
                $0["event"] == "account" && $0["current"] == nil
            }
            try check(event["error"] == nil && event["previous"] == stage.amaraID, "app 1 says \(event)")
            try check(event["username"] == nil, "app 1 still knows a name: \(event)")
        }
        try await stage.step(.nothingShown) {
            try check(try app1.ask("me")["error"] == "nobody", "app 1 still reads /me")
            try check(try app1.ask("show")["error"] == "nobody", "app 1 still shows a note")
            try await stage.awaitEndOfBar()
        }
    }

    private func boSignsIn() async throws {
        let bo = try local.facts.person("Bo")
        let app1 = try stage.app(1)
        try await stage.step(.nextSignIn) {
            app1.forget()
            try stage.seat(bo)
            let answer = try stage.app(2).ask("sign-in")
            try check(answer["username"] == bo.userName, "app 2 says \(answer)")
            try stage.leave()
        }
        try await stage.step(.nextWorker) {
            let event = try app1.receive("that Bo is signed in") { $0["event"] == "account" && $0["current"] != nil }
            try check(event["username"] == bo.userName, "app 1 says \(event)")
            let me = try app1.ask("me")
            try check(me["displayName"] == bo.displayName, "app 1 says \(me)")
            try check(!"\(me) \(event) \(app1.unread)".lowercased().contains("amara"), "app 1 names Amara")
        }
        try await stage.step(.stoppedApp) {
            let former = try stage.app(3).process
            try check(ProcessTable.entry(former.pid)?.isZombie == true, "app 3 still runs")
            _ = try former.waitForExit()
            let app3 = try stage.open(3)
            let event = try app3.receive("that Bo is signed in") {
                $0["event"] == "account" && $0["username"] == bo.userName
            }
            try check(
                event["previous"] == stage.amaraID && event["current"] != stage.amaraID, "app 3 says \(event)")
            let shown = try app3.ask("show")
            try check(shown["note"] == nil && shown["id"] == event["current"], "app 3 says \(shown)")
            try check(!"\(event) \(shown)".lowercased().contains("amara"), "app 3 names Amara")
        }
    }
}
