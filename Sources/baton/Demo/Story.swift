// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import FoundationEssentials
import Glibc

/// The hand-over from Amara to Bo, each step checked.
struct Story {
    let stage: Stage

    private let canaries: CanarySearch
    private static let note = "The patient in bed 12 asks for the window seat"

    init(_ stage: Stage) {
        self.stage = stage
        canaries = CanarySearch(stage, programs: stage.canary)
    }

    func play() async throws {
        OutputOptions.print(["Amara hands the device to Bo:"])
        try await prepare()
        try await amaraSignsIn()
        try await amaraSignsOut()
        try await boSignsIn()
        try await stage.step("nothing of Amara is left: files, browser, apps, logs, memory of supervisor and agent") {
            try canaries.expectNone()
        }
        try await stage.step("the MDM removes the profile: no longer shared, and Bo is signed out") {
            try await world.removeProfile()
            let status = try await settled()
            try check(status.mode != "shared" && status.session == "ready", "the device is \(status)")
        }
        OutputOptions.print(["Every check held."])
    }

    private var world: World { stage.world }

    // MARK: The device

    private func prepare() async throws {
        try await stage.step("server up; an organisation with people, roles and apps") {
            try world.startServer()
            try await world.prepareOrganisation()
            try world.prepareApps()
        }
        try await stage.step("device up: personal, no app is served") {
            try world.startDevice()
            try world.startAgent()
            try expect(mode: "personal", reason: "not_configured")
        }
        try await stage.step("device enrolled in the MDM") { try await world.enroll() }
        try await stage.step("the broker package, the apps, their configuration and the profile arrive") {
            try await world.push()
        }
        try await stage.step("not shared before the join: app 1 is told neither shared nor personal") {
            try expect(mode: "incomplete", reason: "not_joined")
            let answer = try stage.open(1).ask("device")
            try check(answer["mode"] == nil && answer["error"] != nil, "app 1 says \(answer)")
        }
        try await stage.step("Chen, without the role, is refused the join") { try await refusedJoin() }
        try await stage.step("Carol, the Cloud Device Administrator, joins the device") {
            try stage.seat(try world.facts.person("Carol"))
            let (device, order) = (world.device, world.joinOrder)
            _ = try await blocking { try DeviceCommand.join(order, device) }
            try stage.leave()
            try expect(mode: "shared", reason: "shared")
        }
    }

    /// The device when no sign-out is under way any more.
    private func settled() async throws -> DeviceStatus {
        // Asking for a sign-out is answered when the device is ready.
        let device = world.device
        return try await blocking {
            _ = try device.ask(.signOut(fromBrowser: false))
            return try DeviceCommand.status(device)
        }
    }

    private func refusedJoin() async throws {
        try stage.seat(try world.facts.person("Chen"))
        let (device, order) = (world.device, world.joinOrder)
        do {
            _ = try await blocking { try DeviceCommand.join(order, device) }
        } catch let failure as CommandFailure {
            try check(failure.code == "authorization_failed", "the refusal is \(failure)")
            try stage.leave()
            return
        }
        throw StoryFailure("a worker joined the device")
    }

    private func expect(mode: String, reason: String) throws {
        let status = try DeviceCommand.status(world.device)
        try check(
            status.mode == mode && status.reason == reason, "the device is \(status.mode) (\(status.reason))")
    }

    // MARK: The workers

    private func amaraSignsIn() async throws {
        let amara = try world.facts.person("Amara")
        try await stage.step("app 1 sees a shared device and offers no sign-up") {
            let answer = try stage.app(1).ask("device")
            try check(answer["mode"] == "shared" && answer["signUp"] == "hidden", "app 1 says \(answer)")
        }
        try await stage.step("Amara signs in through app 1") {
            try stage.seat(amara)
            let answer = try stage.app(1).ask("sign-in")
            try check(answer["username"] == amara.userName && answer["id"] != nil, "app 1 says \(answer)")
            stage.amaraID = answer["id"]
            try stage.leave()
        }
        try await stage.step("app 2 has Amara's token with no prompt, and reads /me") {
            let answer = try stage.open(2).ask("me")
            try check(answer["displayName"] == amara.displayName, "app 2 says \(answer)")
        }
        try await stage.step("Amara keeps a note in app 1; app 3 knows her, too, and is stopped") {
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
        try await stage.step("the search for traces sees her wherever she has to be, and nowhere else") {
            try canaries.mark(try world.facts.person("Amara"), note: Self.note)
            try canaries.expectHits()
        }
        try await stage.step("app 2 signs Amara out") {
            app1.forget()
            let answer = try app2.ask("sign-out")
            try check(answer["error"] == nil, "app 2 says \(answer)")
        }
        try await stage.step("app 1 learns it without asking: nobody now, Amara before") {
            let event = try app1.hear("that nobody is signed in") { $0["event"] == "account" && $0["current"] == nil }
            try check(event["error"] == nil && event["previous"] == stage.amaraID, "app 1 says \(event)")
            try check(event["username"] == nil, "app 1 still knows a name: \(event)")
        }
        try await stage.step("app 1 has no token and no note of hers") {
            try check(try app1.ask("me")["error"] == "nobody", "app 1 still reads /me")
            try check(try app1.ask("show")["error"] == "nobody", "app 1 still shows a note")
        }
    }

    private func boSignsIn() async throws {
        let bo = try world.facts.person("Bo")
        let app1 = try stage.app(1)
        try await stage.step("Bo signs in through app 2") {
            app1.forget()
            try stage.seat(bo)
            let answer = try stage.app(2).ask("sign-in")
            try check(answer["username"] == bo.userName, "app 2 says \(answer)")
            try stage.leave()
        }
        try await stage.step("app 1 sees Bo, never Amara") {
            let event = try app1.hear("that Bo is signed in") { $0["event"] == "account" && $0["current"] != nil }
            try check(event["username"] == bo.userName, "app 1 says \(event)")
            let me = try app1.ask("me")
            try check(me["displayName"] == bo.displayName, "app 1 says \(me)")
            try check(!"\(me) \(event) \(app1.unheard)".lowercased().contains("amara"), "app 1 names Amara")
        }
        try await stage.step("app 3 goes on: Bo now, Amara before, and it shows nothing of hers") {
            let app3 = try stage.app(3)
            app3.forget()
            app3.send(SIGCONT)
            let event = try app3.hear("that Bo is signed in") {
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
