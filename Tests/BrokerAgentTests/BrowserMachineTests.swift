// SPDX-License-Identifier: Apache-2.0
import BrokerAgent
import BrokerIPC
import BrokerProtocol
import BrowserPolicies
import JSON
import Testing

private let epoch = id(0x0011_2233_4455_6677)
private let other = id(0xffee_ddcc_bbaa_9988)
private let page = "http://127.0.0.1:4711/a"

@Suite struct BrowserMachineTests {
    @Test func `a browser is opened, closed and reported`() throws {
        var machine = BrowserMachine()
        let url = try #require(LoopbackURL(page))
        #expect(machine.handle(.connected) == [.report(.hello(version: AgentMessage.version))])
        #expect(
            machine.handle(.order(.open(id: 1, epoch: epoch, url: page))) == [
                .start(id: 1, epoch: epoch, page: .signIn(url))
            ])
        #expect(machine.handle(.started(id: 1, browser: 50)) == [.report(.opened(id: 1))])
        #expect(
            machine.handle(.order(.close(epoch: epoch))) == [.examine(epoch: epoch, .ending), .clear(epoch: epoch)])
        #expect(machine.handle(.cleared(epoch: epoch)) == [.report(.closed(epoch: epoch))])
        #expect(machine.state == .idle)
    }

    @Test func `an order to take data of a lost connection is not answered over the next one`() throws {
        var machine = BrowserMachine()
        let data = [AppData(app: "app", folders: ["/notes"], processes: [])]
        func order() -> Int? {
            for case .clearData(_, _, _, let connection) in machine.handle(
                .order(.clearData(epoch: epoch, apps: data, until: 4)))
            {
                return connection
            }
            return nil
        }
        _ = machine.handle(.connected)
        let first = try #require(order())
        _ = machine.handle(.connectionLost)
        _ = machine.handle(.connected)
        let second = try #require(order())
        #expect(machine.handle(.dataCleared(epoch: epoch, [], connection: first)) == [])
        #expect(
            machine.handle(.dataCleared(epoch: epoch, [], connection: second)) == [
                .report(.dataCleared(epoch: epoch, failures: []))
            ])
    }

    @Test func `a configuration is valid for one connection to the broker`() throws {
        var machine = BrowserMachine()
        let configuration = try BrowserConfiguration(blocked: [AddressPattern("*")])
        #expect(machine.handle(.order(.configure(configuration))) == [])
        #expect(machine.configuration == configuration)
        _ = machine.handle(.connected)
        #expect(machine.configuration == .standard)
    }

    @Test func `a confined browser starts only after the broker has confined its process`() throws {
        var machine = BrowserMachine()
        let url = try #require(LoopbackURL(page))
        #expect(machine.handle(.order(.confine(epoch: epoch, storage: "/run/s/\(epoch)"))) == [])
        #expect(machine.storage(of: epoch) == "/run/s/\(epoch)" && machine.storage(of: other) == nil)
        let start = BrowserMachine.Action.start(id: 1, epoch: epoch, page: .signIn(url))
        #expect(machine.handle(.order(.open(id: 1, epoch: epoch, url: page))) == [start])
        #expect(machine.handle(.held(id: 1, process: 50)) == [.report(.starting(epoch: epoch, process: 50))])
        #expect(machine.handle(.order(.proceed(process: 51, isConfined: true))) == [])
        #expect(machine.handle(.order(.proceed(process: 50, isConfined: true))) == [.release(id: 1, process: 50)])
        #expect(machine.handle(.order(.proceed(process: 50, isConfined: true))) == [])
        #expect(machine.handle(.started(id: 1, browser: 50)) == [.report(.opened(id: 1))])
        for event in [BrowserMachine.Event.connectionLost, .cleared(epoch: epoch), .connected] {
            _ = machine.handle(event)
        }
        #expect(machine.storage(of: epoch) == nil)
    }

    @Test func `a process that cannot be confined is killed, and one that ends while waiting is reported`() throws {
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init()))
        _ = machine.handle(.held(id: 1, process: 50))
        #expect(machine.handle(.order(.proceed(process: 50, isConfined: false))) == [.drop(process: 50)])
        _ = machine.handle(.held(id: 2, process: 51))
        guard case .report(.failed(id: 2, let code, _)) = machine.handle(.heldEnded(process: 51)).first else {
            Issue.record("the end of the waiting process is not reported")
            return
        }
        #expect(code == "browser_unavailable")
        var idle = BrowserMachine()
        #expect(idle.handle(.held(id: 3, process: 52)) == [.drop(process: 52)])
    }

    @Test func `closing a browser that does not exist is also verified`() {
        var machine = BrowserMachine()
        #expect(
            machine.handle(.order(.close(epoch: epoch))) == [.examine(epoch: epoch, .ending), .clear(epoch: epoch)])
        #expect(machine.handle(.cleared(epoch: epoch)) == [.report(.closed(epoch: epoch))])
    }

    @Test func `the browser counts as closed by the person once the process of its last window has ended`() {
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init(signIn: [50, 51])))
        #expect(machine.handle(.browserEnded(51)) == [])
        #expect(machine.handle(.browserEnded(7)) == [])
        #expect(machine.handle(.browserEnded(50)) == [.endStragglers(epoch: epoch)])
        #expect(machine.handle(.stragglersEnded) == [.report(.browserExited(epoch: epoch))])
        #expect(machine.state == .open(epoch: epoch, browsers: .init()))
    }

    @Test func `a page that is passed to a running browser is reported as passed`() {
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init(worker: [50])))
        let id = AgentOrder.pages + 1
        #expect(machine.handle(.started(id: id, browser: 51, isPassedOn: true)) == [.report(.passed(id: id))])
        #expect(machine.state == .open(epoch: epoch, browsers: .init(worker: [50, 51])))
    }

    @Test func `the end of a sign-in ends its windows, and not the worker's browser`() {
        var machine = BrowserMachine()
        _ = machine.handle(.order(.open(id: 1, epoch: epoch, url: page)))
        _ = machine.handle(.started(id: 1, browser: 50))
        _ = machine.handle(.started(id: AgentOrder.pages + 1, browser: 51))
        #expect(machine.handle(.order(.endSignIn(epoch: other))) == [])
        #expect(
            machine.handle(.order(.endSignIn(epoch: epoch))) == [
                .examine(epoch: epoch, .signInOver), .endWindows([50]),
            ])
        #expect(machine.state == .open(epoch: epoch, browsers: .init(worker: [51])))
        // The next sign-in may have begun, so the end of the former window is not reported.
        #expect(machine.handle(.browserKilled(50)) == [])
        #expect(machine.handle(.order(.endSignIn(epoch: epoch))) == [])
    }

    @Test func `a sign-in window that still waits to be confined does not open once its sign-in is over`() {
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init()))
        _ = machine.handle(.held(id: 1, process: 50))
        _ = machine.handle(.held(id: AgentOrder.pages + 1, process: 51))
        #expect(machine.handle(.order(.endSignIn(epoch: epoch))) == [.drop(process: 50)])
        #expect(machine.handle(.order(.proceed(process: 50, isConfined: true))) == [])
        #expect(
            machine.handle(.order(.proceed(process: 51, isConfined: true)))
                == [.release(id: AgentOrder.pages + 1, process: 51)])
    }

    @Test func `the person closes the sign-in window beside the worker's browser`() {
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init(signIn: [50], worker: [51])))
        // The end of the worker's browser says nothing about the sign-in.
        #expect(machine.handle(.browserEnded(51)) == [])
        #expect(machine.handle(.browserEnded(50)) == [.endStragglers(epoch: epoch)])
        #expect(machine.handle(.stragglersEnded) == [.report(.browserExited(epoch: epoch))])
    }

    @Test func `a page counts as shown once it was passed to a browser whose extension serves`() {
        let (own, passedOn, failed) = (AgentOrder.pages + 1, AgentOrder.pages + 2, AgentOrder.pages + 3)
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init()))
        for (id, browser) in [(own, 50), (passedOn, 51), (failed, 52)] {
            #expect(machine.handle(.started(id: id, browser: browser)) == [.report(.opened(id: id))])
        }
        #expect(machine.handle(.browserEnded(51)) == [])
        #expect(
            machine.handle(.extensionServes(browser: 50))
                == [.report(.shown(id: own)), .report(.shown(id: passedOn)), .examine(epoch: epoch, .started)])
        #expect(refusal(machine.handle(.browserBroke(52)), of: failed) == "browser_ended")
        // The agent does not report that a page of the broker is shown.
        _ = machine.handle(.started(id: 7, browser: 53))
        #expect(machine.handle(.browserEnded(53)) == [.endStragglers(epoch: epoch)])
    }

    @Test func `a page without a report from the extension fails, and a page that was shown does not`() {
        let ids = [AgentOrder.pages + 1, AgentOrder.pages + 2]
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init()))
        _ = machine.handle(.started(id: ids[0], browser: 50))
        #expect(refusal(machine.handle(.extensionSilent), of: ids[0]) == "browser_silent")
        #expect(machine.handle(.extensionServes(browser: 50)) == [.examine(epoch: epoch, .started)])
        _ = machine.handle(.started(id: ids[1], browser: 51))
        #expect(machine.handle(.browserEnded(51)) == [.report(.shown(id: ids[1]))])
        #expect(machine.handle(.extensionSilent) == [])
        // The report about the extension of a process that has ended has no effect.
        #expect(machine.handle(.browserKilled(50)) == [])
        #expect(machine.handle(.extensionServes(browser: 50)) == [])
    }

    @Test func `pages that were passed to a browser fail with it, even while another process runs`() {
        let (own, passedOn, next) = (AgentOrder.pages + 1, AgentOrder.pages + 2, AgentOrder.pages + 3)
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init()))
        for (id, browser) in [(own, 50), (passedOn, 51), (next, 52)] {
            _ = machine.handle(.started(id: id, browser: browser))
        }
        _ = machine.handle(.browserEnded(51))
        #expect(machine.handle(.browserKilled(50)).count == 2)
        #expect(
            machine.handle(.extensionServes(browser: 52)) == [
                .report(.shown(id: next)), .examine(epoch: epoch, .started),
            ])
    }

    @Test func `a page whose browser cannot be confined fails`() {
        let id = AgentOrder.pages + 1
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init()))
        _ = machine.handle(.held(id: id, process: 50))
        let actions = machine.handle(.order(.proceed(process: 50, isConfined: false)))
        #expect(
            actions.first == .drop(process: 50) && refusal(Array(actions.dropFirst()), of: id) == "browser_unavailable")
    }

    @Test func `a lost connection clears everything, and no hello is sent before that is done`() {
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init(signIn: [50])))
        #expect(machine.handle(.connectionLost) == [.clear(epoch: epoch)])
        #expect(machine.handle(.cleared(epoch: epoch)) == [])
        #expect(machine.state == .idle)
        #expect(machine.handle(.connected) == [.report(.hello(version: AgentMessage.version))])
    }

    @Test(arguments: [BrowserMachine.Event.connectionLost, .terminated])
    func `a browser that cannot be cleared without an order ends the agent with an error`(_ event: BrowserMachine.Event)
    {
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init(signIn: [50])))
        let failure = AgentFailure(.notCleared, "")
        #expect(machine.handle(event) == [.clear(epoch: epoch)])
        #expect(machine.handle(.notCleared(epoch: epoch, failure)) == [.finish(failure)])
        #expect(machine.handle(.connected) == [.finish(failure)])
    }

    @Test func `a failed close is reported, keeps the epoch and can be repeated`() {
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init()))
        _ = machine.handle(.order(.close(epoch: epoch)))
        let failure = AgentFailure(.notCleared, "why")
        #expect(
            machine.handle(.notCleared(epoch: epoch, failure))
                == [.report(.closeFailed(epoch: epoch, code: "not_cleared", message: "why"))])
        #expect(refusal(machine.handle(.order(.open(id: 2, epoch: epoch, url: page)))) == "not_cleared")
        #expect(
            machine.handle(.order(.close(epoch: epoch))) == [.examine(epoch: epoch, .ending), .clear(epoch: epoch)])
    }

    @Test func `two epochs never have a browser at the same time`() {
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init(signIn: [50])))
        #expect(refusal(machine.handle(.order(.open(id: 2, epoch: other, url: page)))) == "other_epoch_open")
        #expect(machine.state == .open(epoch: epoch, browsers: .init(signIn: [50])))
    }

    @Test(arguments: ["", "00112233445566778899AABBCCDDEEFF", "../../../../../../../../etc/passwd"])
    func `an order whose epoch could name another folder is rejected`(_ epoch: String) throws {
        for text in [#"{"close":{"epoch":"\#(epoch)"}}"#, #"{"open":{"id":2,"epoch":"\#(epoch)","url":"\#(page)"}}"#] {
            #expect(throws: (any Error).self) {
                try JSONReader.read(AgentOrder.self, from: Array(text.utf8), limits: Wire.agentLimits)
            }
        }
        let good = #"{"close":{"epoch":"00112233445566770011223344556677"}}"#
        let order = try JSONReader.read(AgentOrder.self, from: Array(good.utf8), limits: Wire.agentLimits)
        #expect(order == .close(epoch: id(0x0011_2233_4455_6677)))
    }

    @Test(arguments: [
        "https://127.0.0.1:80/", "http://127.0.0.1/", "http://127.0.0.1:0/", "http://127.0.0.1:65536/",
        "http://127.0.0.1:080/", "http://127.0.0.1:80", "http://127.0.0.1:80@evil.test/", "http://localhost:80/",
        "http://127.0.0.1:+8/", "http://127.0.0.1:80/\u{0}", "http://127.0.0.1:80/a b", "http://127.0.0.1:80/#x",
        "--gpu-launcher=sh", "file:///etc/passwd", "http://127.0.0.1:٨٠/", "",
    ])
    func `only pages at this machine's loopback address are opened`(_ url: String) {
        var machine = BrowserMachine()
        #expect(refusal(machine.handle(.order(.open(id: 2, epoch: epoch, url: url)))) == "invalid_url")
        #expect(machine.state == .idle)
    }

    @Test(arguments: [
        ["/common/login", "https://evil.test/"], [""], ["*"], ["/a b"], ["/a\"b"], ["/*"],
        ["/" + String(repeating: "a", count: 512)],
        Array(repeating: "/a", count: 9),
    ])
    func `a sign-in window opens for a few pages of the platform only`(_ pages: [String]) {
        var machine = BrowserMachine()
        #expect(refusal(machine.handle(.order(.open(id: 2, epoch: epoch, url: page, pages: pages)))) == "invalid_url")
        #expect(machine.state == .idle)
    }

    @Test func `no description contains the address of a page`() throws {
        let url = try #require(LoopbackURL("http://127.0.0.1:4711/canary?canary=canary"))
        #expect(
            !"\(url)\(String(reflecting: url))\(BrowserMachine.Action.start(id: 1, epoch: epoch, page: .signIn(url)))"
                .contains("canary"))
    }

    @Test func `a browser that ends with an error does not count as closed by the person`() {
        var machine = BrowserMachine(state: .open(epoch: epoch, browsers: .init(signIn: [50])))
        #expect(machine.handle(.browserBroke(50)) == [.endStragglers(epoch: epoch)])
        #expect(machine.handle(.stragglersEnded) == [.report(.browserBroke(epoch: epoch))])
        _ = machine.handle(.order(.open(id: 2, epoch: epoch, url: page)))
        _ = machine.handle(.started(id: 2, browser: 51))
        _ = machine.handle(.browserEnded(51))
        #expect(machine.handle(.stragglersEnded) == [.report(.browserExited(epoch: epoch))])
    }

    @Test func `in every reachable state, termination ends the agent once everything is cleared`() {
        for state in reachable() {
            var machine = BrowserMachine(state: state)
            var actions = machine.handle(.terminated)
            if case .clearing(let epoch, _) = machine.state { actions += machine.handle(.cleared(epoch: epoch)) }
            #expect(actions.last == .finish(nil), "\(state)")
            #expect(machine.state == .idle)
        }
    }

    @Test func `in every reachable state except idle, no hello is sent on a new connection`() {
        for state in reachable() where state != .idle {
            var machine = BrowserMachine(state: state)
            #expect(machine.handle(.connected) == [.finish(AgentFailure(.notCleared, ""))], "\(state)")
        }
    }

    /// All states that events of two epochs and two browsers can reach, computed to a fixed point.
    private func reachable() -> [BrowserMachine.State] {
        let failure = AgentFailure(.notCleared, "")
        var events: [BrowserMachine.Event] = [.connected, .connectionLost, .terminated, .stragglersEnded]
        for browser in [50, 51] { events += [.started(id: 1, browser: browser), .browserEnded(browser)] }
        events += [.started(id: AgentOrder.pages + 1, browser: 52), .browserKilled(52)]
        for epoch in [epoch, other] {
            events += [.order(.open(id: 1, epoch: epoch, url: page)), .order(.close(epoch: epoch))]
            events += [.order(.endSignIn(epoch: epoch))]
            events += [.cleared(epoch: epoch), .notCleared(epoch: epoch, failure)]
        }
        var known: [BrowserMachine.State] = [.idle]
        var index = 0
        while index < known.count {
            for event in events {
                var machine = BrowserMachine(state: known[index])
                _ = machine.handle(event)
                if !known.contains(machine.state) { known.append(machine.state) }
            }
            index += 1
        }
        #expect(known.count == 25)
        return known
    }

    private func refusal(_ actions: [BrowserMachine.Action], of id: UInt64 = 2) -> String? {
        guard actions.count == 1, case .report(.failed(id, let code, _)) = actions[0] else { return nil }
        return code
    }
}

private func id(_ half: UInt64) -> Epoch.ID {
    var random = Halves(half: half)
    return Epoch.ID(random: &random)
}

private struct Halves: RandomNumberGenerator {
    let half: UInt64

    func next() -> UInt64 { half }
}
