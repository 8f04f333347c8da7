// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import MDMProtocol
import Testing
import WebPages

@testable import HomeScreen

@Suite struct HomeViewTests {
    private static func configuration() throws -> HomeConfiguration {
        try HomeConfiguration(
            json: Array(
                """
                {"organisation": "Seaview", "contact": "4242",
                 "tiles": [{"title": "Rounds", "program": "/usr/bin/rounds", "bundleId": "com.rounds"},
                           {"title": "Intranet", "page": "https://intra.test/"}]}
                """.utf8))
    }

    private static func view(
        _ events: HomeModel.Event..., language: Language = .english, isLogoUnreadable: Bool = false
    ) throws -> HomeView {
        var model = HomeModel()
        for event in events { _ = model.handle(event) }
        let composer = HomeViewComposer(
            texts: try HomeText.catalogue.get(), language: language, configuration: try configuration(),
            isLogoUnreadable: isLogoUnreadable, tiles: [0, 1], icons: [])
        return composer.view(of: model)
    }

    private static func state(
        _ stage: DeviceState.Stage, reason: String = "shared", isEnrolled: Bool = true, registration: String? = nil,
        hasAgent: Bool = true, pending: [String] = [], lockedApps: [String] = [], withoutEraser: [String] = [],
        obstacle: String? = nil
    ) -> HomeModel.Event {
        .device(
            DeviceState(
                stage: stage, reason: reason, isEnrolled: isEnrolled, registration: registration, pending: pending,
                lockedApps: lockedApps, lockedWithoutEraser: withoutEraser, hasAgent: hasAgent, obstacle: obstacle))
    }

    @Test(
        "every reason why nobody can sign in has its screen, with what to do and whom to call, and no button",
        arguments: [
            (state(.ready, reason: "not_configured", isEnrolled: false), "Not set up yet"),
            (state(.ready, reason: "not_configured"), "This device is not shared"),
            (state(.ready, reason: "profile_missing"), "Not set up completely"),
            (state(.ready, reason: "not_joined"), "Not registered yet"),
            (state(.ready, registration: "disabled"), "This device is turned off"),
            (state(.ready, registration: "removed"), "This device is not registered any more"),
            (state(.ready, hasAgent: false), "No browser can open"),
            (state(.ready, obstacle: "browser_not_confined"), "No browser can open"),
            (state(.quarantined, reason: "journal_damaged"), "Out of service"),
            (.brokerLost, "Signing in is not possible now"),
        ])
    func obstacles(event: HomeModel.Event, title: String) throws {
        let view = try Self.view(event)
        #expect(view.title == title && view.tone == .problem && view.button == nil)
        #expect(view.text?.isEmpty == false)
        #expect(view.advice.count == 2 || view.advice.first?.contains("baton doctor") == true)
        #expect(view.advice.last == "Whom to call: 4242")
    }

    @Test("a code that the administrator needs is on the screen")
    func codes() throws {
        #expect(
            try Self.view(Self.state(.quarantined, reason: "journal_damaged")).text?.contains("journal_damaged") == true
        )
        #expect(try Self.view(Self.state(.ready, reason: "profile_missing")).text?.contains("profile_missing") == true)
        let closed = try Self.view(Self.state(.ready, obstacle: "browser_not_confined"))
        #expect(
            closed.text?.contains("browser_not_confined") == true && closed.advice.first?.contains("doctor") == true)
    }

    @Test("a device that is ready has one button, and says which apps are locked")
    func ready() throws {
        let view = try Self.view(Self.state(.ready, lockedApps: ["com.rounds", "com.other"]))
        #expect(view.title == "Ready" && view.button?.touch == .signIn && view.tone == .good)
        #expect(view.notices.map { $0.prefix { $0 != ":" } } == ["Rounds", "com.other"])
    }

    @Test("a device that is ready names the doctor's first fault and still lets workers sign in")
    func fault() throws {
        let view = try Self.view(
            .device(DeviceState(stage: .ready, reason: "shared", hasAgent: true, fault: "file_mode")))
        #expect(view.title == "Ready" && view.button?.touch == .signIn)
        #expect(view.notices == ["This device needs attention (file_mode). Please tell your administrator."])
    }

    @Test("a sign-out says what it waits for, with the names of the tiles")
    func signingOut() throws {
        let view = try Self.view(Self.state(.signingOut, pending: ["browser", "app:com.rounds", "app:com.other"]))
        #expect(view.advice == ["Still to do: browser, Rounds, com.other"])
        #expect(view.tone == .busy && view.button == nil)
    }

    @Test("an end that waits for unsaved work says which app, how long it has, and what happens then")
    func unsavedWork() throws {
        let session = DeviceState.Session(
            began: nil, shiftEnd: nil, idleEnd: nil, unsaved: ["com.rounds", "com.other"], saveEnd: 500)
        let view = try Self.view(.device(DeviceState(stage: .ending, reason: "shared", session: session)))
        #expect(view.text == "Not saved yet: Rounds, com.other")
        #expect(view.countdowns.map(\.seconds) == [500])
        #expect(view.countdowns[0].text.contains("unsaved work is lost"))
        let waiting = DeviceState.Session(began: nil, shiftEnd: nil, idleEnd: nil)
        let brief = try Self.view(.device(DeviceState(stage: .ending, reason: "shared", session: waiting)))
        #expect(brief.text == "Your apps are saving their data." && brief.countdowns.isEmpty)
    }

    @Test("the tile of an app says that it has unsaved work")
    func unsavedTile() throws {
        let session = DeviceState.Session(began: nil, shiftEnd: nil, idleEnd: nil, unsaved: ["com.rounds"])
        let view = try Self.view(
            .device(DeviceState(stage: .signedIn, reason: "shared", session: session)), .tile(0, .running),
            .tile(1, .running))
        #expect(view.tiles.map(\.state) == ["Unsaved work", "Open"])
    }

    @Test("a worker who signed in without the server sees when that ends, beside the end of the shift")
    func offline() throws {
        let session = DeviceState.Session(began: nil, shiftEnd: 900, idleEnd: nil, offlineEnd: 600)
        let view = try Self.view(.device(DeviceState(stage: .signedIn, reason: "shared", session: session)))
        #expect(view.countdowns.map(\.seconds) == [600, 900])
        #expect(view.countdowns[0].text.hasPrefix("Signed in without the server."))
    }

    @Test("without the server the screen says who can sign in, and keeps the button")
    func serverUnreachable() throws {
        func view(_ isReachable: Bool?, hasLeases: Bool = false) throws -> HomeView {
            try Self.view(
                .device(
                    DeviceState(
                        stage: .ready, reason: "shared", hasAgent: true, isServerReachable: isReachable,
                        hasOfflineLeases: hasLeases)))
        }
        let (nobody, some) = (try view(false), try view(false, hasLeases: true))
        #expect(nobody.title == "The server cannot be reached" && nobody.tone == .problem)
        #expect(nobody.advice.last == "Whom to call: 4242" && nobody.button?.touch == .signIn)
        #expect(some.title == "Ready" && some.notices.count == 1 && some.button?.touch == .signIn)
        for view in [try view(nil), try view(true)] { #expect(view.title == "Ready" && view.notices.isEmpty) }
    }

    @Test("the signed-in worker sees name, tiles and one button, and what a locked app's tile does")
    func session() throws {
        let worker = HomeModel.Account.worker(.init(name: "Amara Okafor", username: "amara@x.test"))
        let locked = Self.state(.signedIn, lockedApps: ["com.rounds"])
        // The worker must open a locked app so that it erases.
        #expect(try Self.view(locked, .account(worker)).tiles[0].state?.hasPrefix("Open it: it must first") == true)
        let view = try Self.view(locked, .account(worker), .tile(0, .running), .tile(1, .running))
        #expect(view.title == "Amara Okafor" && view.button?.touch == .handover)
        #expect(view.tiles.map(\.title) == ["Rounds", "Intranet"])
        #expect(view.tiles[0].state?.hasPrefix("Locked until") == true)
        // Opening an app without an eraser would not unlock it.
        let held = Self.state(.signedIn, lockedApps: ["com.rounds"], withoutEraser: ["com.rounds"])
        #expect(try Self.view(held, .account(worker)).tiles[0].state?.hasPrefix("Locked: the last") == true)
        let ready = Self.state(.ready, lockedApps: ["com.rounds"], withoutEraser: ["com.rounds"])
        #expect(try Self.view(ready).notices == ["Rounds: Locked: the last worker’s data could not be taken away"])
        #expect(view.tiles[0].isProblem)
        #expect(view.tiles[1].state == "Open")
    }

    @Test("the receipt says in plain words what was cleared and who verified it")
    func receipt() throws {
        let items = [
            DeviceState.Handover.Item(name: "session_key", grade: "enforced", observer: "broker", result: "done"),
            DeviceState.Handover.Item(name: "browser", grade: "reported", observer: "agent", result: "done"),
            DeviceState.Handover.Item(name: "app:com.rounds", grade: "cooperative", observer: "app", result: "failed"),
            DeviceState.Handover.Item(name: "session_process", grade: "implied", observer: "none", result: "done"),
        ]
        let state = DeviceState(
            stage: .ready, reason: "shared", hasAgent: true,
            handover: .init(receipt: 7, finished: 1000, trigger: "app", items: items))
        let receipt = try #require(try Self.view(.device(state)).receipt)
        #expect(receipt.number == "Receipt 7" && receipt.time == 1000)
        #expect(
            receipt.lines.map(\.what) == [
                "Sign-in keys and tokens", "Browser with pages, forms and downloads", "Data of Rounds",
                "Memory of the session", "What the browser held open", "Other files of the worker",
            ])
        #expect(receipt.lines.map(\.mark) == [.done, .done, .problem, .done, .unknown, .unknown])
        #expect(receipt.lines[0].result == "cleared, and verified by the device")
        #expect(receipt.lines[1].result.contains("reports"))
        #expect(receipt.lines[2].result == "not confirmed; the app is locked")
    }

    @Test(
        "the receipt says what is known about other files of the worker",
        arguments: [
            (DeviceState.Handover.Left?.none, "not known whether any are left"),
            (.unknown, "not known whether any are left"),
            (.nothing, "searched for, and none found"),
            (.nothingInKnownFolders, "none found where an earlier search looked"),
            (.something, "found; tell your administrator"),
        ])
    func remains(_ left: DeviceState.Handover.Left?, says words: String) throws {
        let state = DeviceState(
            stage: .ready, reason: "shared", hasAgent: true,
            handover: .init(receipt: 7, finished: 1000, trigger: "app", items: [], left: left))
        let line = try #require(try Self.view(.device(state)).receipt?.lines.last)
        #expect(line.what == "Other files of the worker" && line.result == words)
        #expect(line.mark == (left == .something ? .problem : left == .nothing ? .done : .unknown))
    }

    @Test(
        "the receipt says what the browser held open",
        arguments: [
            (DeviceState.Handover.Left?.none, "not known", HomeView.Receipt.Mark.unknown),
            (.unknown, "not known", .unknown),
            (.nothing, "nothing at the start and at the end, as the browser’s helper program reports", .unknown),
            (.something, "something; tell your administrator", .problem),
        ])
    func opened(_ opened: DeviceState.Handover.Left?, says words: String, mark: HomeView.Receipt.Mark) throws {
        let state = DeviceState(
            stage: .ready, reason: "shared", hasAgent: true,
            handover: .init(receipt: 7, finished: 1000, trigger: "app", items: [], left: .nothing, opened: opened))
        let line = try #require(try Self.view(.device(state)).receipt?.lines.first)
        #expect(line.what == "What the browser held open" && line.result == words && line.mark == mark)
    }

    @Test(
        "the receipt says whether the files that browsers read were changed",
        arguments: [
            (["done", "done"], "unchanged, as the browser’s helper program reports", HomeView.Receipt.Mark.done),
            (["done", "unanswered"], "not known", .unknown),
            (["failed", "unanswered"], "changed; tell your administrator", .problem),
            (["done", "failed"], "changed; tell your administrator", .problem),
        ])
    func rules(_ results: [String], says words: String, mark: HomeView.Receipt.Mark) throws {
        let items = zip(["browser_extension", "browser_policies"], results).map {
            DeviceState.Handover.Item(name: $0, grade: "reported", observer: "agent", result: $1)
        }
        let state = DeviceState(
            stage: .ready, reason: "shared", hasAgent: true,
            handover: .init(receipt: 7, finished: 1000, trigger: "app", items: items))
        let line = try #require(try Self.view(.device(state)).receipt?.lines.first)
        #expect(line.what == "Browser’s extension and rules" && line.result == words && line.mark == mark)
    }

    @Test(
        "the receipt says how much nobody looked at",
        arguments: [(Int?.none, String?.none), (0, nil), (14, "14 not looked at")])
    func unobserved(_ count: Int?, says words: String?) throws {
        let state = DeviceState(
            stage: .ready, reason: "shared", hasAgent: true,
            handover: .init(
                receipt: 7, finished: 1000, trigger: "app", items: [], left: .nothing, unobserved: count))
        let lines = try #require(try Self.view(.device(state)).receipt).lines
        let line = lines.first { $0.what == "Other places" }
        #expect(line?.result == words && line?.mark == (words == nil ? nil : .unknown))
        #expect(lines.count == (words == nil ? 2 : 3))
    }

    @Test("a logo that is not an image is explained, and the screen works without it")
    func logo() throws {
        let view = try Self.view(Self.state(.ready), isLogoUnreadable: true)
        #expect(view.notices.count == 1 && view.button != nil)
    }

    @Test("Arabic is written from right to left")
    func direction() throws {
        #expect(try Self.view(Self.state(.ready), language: .arabic).direction == "rtl")
        #expect(try Self.view(Self.state(.ready), language: .german).direction == "ltr")
    }
}
