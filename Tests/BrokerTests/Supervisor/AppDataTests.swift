// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceHTTPS
import DeviceSettings
import Files
import Foundation
import Glibc
import Processes
import Receipts
import SessionIPC
import TestSupport
import Testing

/// What happens to the folders of apps that have not erased a worker's data.
@Suite(.timeLimit(.minutes(10))) struct AppDataTests {
    private static let app = "org.example.ward"
    private static let folder = "/home/kiosk/ward"
    private let eraser: AppEraser = "org.example.ward"
    private let named: AppEraser = "org.example.ward:notes"
    private var app: String { Self.app }
    private let me: ProcessTable.Name
    /// A process that has ended and had the same process id as this process.
    private let ended = ProcessTable.Name(pid: getpid(), startTime: 0)

    init() throws { me = try #require(try ProcessTable.entry(getpid())?.name) }

    /// A session in which a process has made a request as the app, with the session's agent.
    private struct Session {
        let fixture: SupervisorFixture
        let agent: FakeAgent
        let id: Epoch.ID
        let epoch: Epoch

        static var registration: RegisteredApp {
            get throws {
                RegisteredApp(
                    bundleID: AppDataTests.app, clientID: "C-1", redirectURIs: [],
                    dataFolders: [try #require(DataFolder(AppDataTests.folder))])
            }
        }

        /// - Parameter process: the process that makes a request as the app; nil if none does.
        init(_ fixture: SupervisorFixture, eraser: AppEraser?, process: ProcessTable.Name?) async throws {
            self.fixture = fixture
            fixture.device.set(apps: [try Self.registration])
            fixture.inputs.post(.deviceChanged)
            agent = try fixture.agent(of: 1000)
            id = try await fixture.signIn(through: agent)
            epoch = try await fixture.epoch()
            if let process {
                fixture.sessionProcessSends(
                    .dataHolderArrived(bundleID: AppDataTests.app, process, epoch: epoch, requestID: 7))
                #expect(
                    try await fixture.sessionProcessReceives(.appSettled) == .appSettled(requestID: 7, accepted: true))
            }
            guard let eraser else { return }
            fixture.sessionProcessSends(.eraserEnlisted(eraser, .unseen, epoch: epoch, requestID: 1))
            #expect(
                try await fixture.sessionProcessReceives(.appSettled) == .appSettled(requestID: 1, accepted: true))
        }

        /// Ends the session; the browser is cleared.
        func end() async throws {
            fixture.order(.signOut(fromBrowser: false))
            guard case .close = try await agent.order() else { throw TestProblem("the browser is not closed") }
            agent.say(.closed(epoch: id))
            // The answer shows that the messages have been handled, so the clock may advance.
            _ = try await fixture.status()
        }

        /// The order to take data away.
        func taken() async throws -> [AppData] {
            guard case .clearData(let epoch, let apps, let deadline) = try await agent.order() else {
                throw TestProblem("another order")
            }
            #expect(epoch == id)
            #expect(Duration.milliseconds(deadline) == fixture.clock.supervisorClock.sinceBoot() + .seconds(4))
            return apps
        }

        /// Waits until the session process is told that all processes with this eraser must erase the session's data.
        func awaitQuestion(to eraser: AppEraser) async throws {
            while case .asked(let questions) = try await fixture.sessionProcessReceives(.asked) {
                if questions[eraser] == ErasureQuestion(ended: epoch) { return }
            }
        }

        /// Signs the next worker in and out; the browser is cleared.
        func nextEnd() async throws -> Epoch.ID {
            fixture.sessionProcessSends(.signInRequested(requestID: 2), sessionProcess: 2)
            fixture.sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"), sessionProcess: 2)
            guard case .open(_, let next, _, _) = try await agent.order() else { throw TestProblem("no browser") }
            fixture.sessionProcessSends(.signInSucceeded, sessionProcess: 2)
            fixture.order(.signOut(fromBrowser: false))
            guard case .close = try await agent.order() else { throw TestProblem("not closed") }
            agent.say(.closed(epoch: next))
            return next
        }

        /// Signs the next worker in and out, until the agent gets the order to take data away.
        func nextSignOut() async throws -> Epoch.ID { try await nextOrder().epoch }

        func nextOrder() async throws -> (epoch: Epoch.ID, data: [AppData]) {
            let next = try await nextEnd()
            guard case .clearData(next, let data, _) = try await agent.order() else {
                throw TestProblem("nothing is taken")
            }
            return (next, data)
        }

        func answer(_ code: AppDataFailure.Code? = nil) {
            let failures = code.map { [AppDataFailure(app: AppDataTests.app, code: $0)] }
            agent.say(.dataCleared(epoch: id, failures: failures ?? []))
        }
    }

    /// Replaces the app's registration during the session.
    private func register(_ folders: [String], in fixture: SupervisorFixture) async throws {
        fixture.device.set(apps: [
            RegisteredApp(
                bundleID: app, clientID: "C-1", redirectURIs: [],
                dataFolders: try folders.map { try #require(DataFolder($0)) })
        ])
        fixture.inputs.post(.deviceChanged)
        // The answer shows that the registration has been read.
        _ = try await fixture.status()
    }

    /// The record of the apps' processes and folders, as text.
    private func recorded(in fixture: SupervisorFixture) throws -> String {
        let bytes = try AtomicFile(path: fixture.scratch.path("device/app-processes.json")).read()
        return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func with(_ body: (SupervisorFixture) async throws -> Void) async throws -> [ReceiptItem] {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { try await body($0) }
            let book = ReceiptStore(directory: Directory(path: scratch.path("device/receipts")))
            let receipts = ReceiptFile(bytes: try book.export()).receipts
            return receipts.flatMap { $0.receipt.items.filter { $0.name == "app:" + app } }
        }
    }

    @Test func `the agent takes the data of an app that does not answer, and the app is not locked`() async throws {
        let items = try await with { fixture in
            let session = try await Session(fixture, eraser: eraser, process: me)
            try await session.end()
            fixture.clock.pass(.seconds(3))
            #expect(try await session.taken() == [AppData(app: app, folders: [Self.folder], processes: [me])])
            #expect(try await fixture.status().session == "signingOut")
            session.answer()
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [])
        }
        #expect(items.map(\.result) == [.done] && items.map(\.observer) == [.agent])
        #expect(items.map(\.grade) == [.reported])
    }

    @Test func `nobody waits for an app whose processes have all ended`() async throws {
        let items = try await with { fixture in
            let session = try await Session(fixture, eraser: eraser, process: ended)
            try await session.end()
            #expect(try await session.taken().map(\.app) == [app])
            session.answer()
            #expect(try await fixture.status().session == "ready")
        }
        #expect(items.map(\.result) == [.done])
    }

    @Test func `only the processes that have not erased are ended`() async throws {
        let items = try await with { fixture in
            let session = try await Session(fixture, eraser: eraser, process: me)
            let other = try await RunningProgram.start(
                "/bin/sleep", ["600"], log: "other", awaitsReady: false, in: fixture.scratch)
            let second = try #require(try ProcessTable.entry(other.pid)?.name)
            fixture.sessionProcessSends(
                .dataHolderArrived(bundleID: app, second, epoch: session.epoch, requestID: 8))
            for process in [me, second] {
                fixture.sessionProcessSends(
                    .eraserEnlisted(eraser, process, epoch: session.epoch, requestID: 2))
            }
            try await session.end()
            fixture.sessionProcessSends(
                .eraserAnswered(eraser, me, ended: session.epoch, .done, requestID: 9), sessionProcess: 2)
            #expect(try await fixture.status().session == "signingOut")
            fixture.clock.pass(.seconds(3))
            #expect(try await session.taken().map(\.processes) == [[second]])
            session.answer()
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [])
        }
        #expect(items.map(\.result) == [.done])
    }

    /// Runs `body` after one process of the app has erased the data and the agent has been ordered to end another
    /// process, which has no eraser.
    private func withReader(
        _ body: (SupervisorFixture, Session, RunningProgram) async throws -> Void
    ) async throws -> [ReceiptItem] {
        try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: me)
            let other = try await RunningProgram.start(
                "/bin/sleep", ["600"], log: "other", awaitsReady: false, in: fixture.scratch)
            let reader = try #require(try ProcessTable.entry(other.pid)?.name)
            fixture.sessionProcessSends(.dataHolderArrived(bundleID: app, reader, epoch: session.epoch, requestID: 8))
            fixture.sessionProcessSends(.eraserEnlisted(eraser, me, epoch: session.epoch, requestID: 2))
            try await session.end()
            fixture.sessionProcessSends(
                .eraserAnswered(eraser, me, ended: session.epoch, .done, requestID: 9), sessionProcess: 2)
            #expect(try await session.taken().map(\.processes) == [[reader]])
            try await body(fixture, session, other)
            other.kill()
            _ = try await other.waitForExit()
        }
    }

    @Test(arguments: [AppDataFailure.Code.processLeft, .missing, nil])
    func `a process that has no eraser is ended, although the other processes of its app have erased`(
        failure: AppDataFailure.Code?
    ) async throws {
        let items = try await withReader { fixture, session, _ in
            session.answer(failure)
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == (failure == .processLeft ? [app] : []))
        }
        #expect(items.map(\.result) == [failure == .processLeft ? .failed : .done])
        #expect(items.map(\.observer) == [.agent])
    }

    @Test func `a receipt does not say done while a process goes on, also if the agent says nothing`() async throws {
        let items = try await withReader { fixture, session, _ in
            fixture.clock.pass(.seconds(5))
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [app])
        }
        #expect(items.map(\.result) == [.unanswered])
    }

    @Test func `an app whose processes come again and again does not keep another's data in place`() async throws {
        _ = try await with { fixture in
            let other = "org.example.other"
            let session = try await Session(fixture, eraser: nil, process: ended)
            let folder = try #require(DataFolder("/home/session/.local/share/other"))
            fixture.device.set(apps: [
                try Session.registration,
                RegisteredApp(bundleID: other, clientID: "C-2", redirectURIs: [], dataFolders: [folder]),
            ])
            fixture.inputs.post(.deviceChanged)
            fixture.sessionProcessSends(.dataHolderArrived(bundleID: other, ended, epoch: session.epoch, requestID: 8))
            try await session.end()
            #expect(try await session.taken().map(\.app) == [other, app].sorted())
            fixture.sessionProcessSends(
                .dataHolderArrived(bundleID: app, me, epoch: session.epoch, requestID: 9), sessionProcess: 2)
            session.answer()
            // The agent is asked again only about the app that has a new process, and no longer answers.
            #expect(try await session.taken().map(\.app) == [app])
            fixture.clock.pass(.seconds(5))
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [app])
        }
    }

    @Test func `what a process that came after the order has left is taken, too, although it has ended`() async throws {
        _ = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: me)
            try await session.end()
            #expect(try await session.taken().map(\.processes) == [[me]])
            fixture.sessionProcessSends(
                .dataHolderArrived(bundleID: app, ended, epoch: session.epoch, requestID: 9), sessionProcess: 2)
            session.answer()
            // The late process may have read the data before the data was taken away, and written it again.
            #expect(try await fixture.status().session == "signingOut")
            guard try await fixture.status().session == "signingOut" else { return }
            #expect(try await session.taken().map(\.app) == [app])
            session.answer()
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [])
        }
    }

    @Test func `what a process without an eraser has left after the others have erased is taken`() async throws {
        let items = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: me)
            let other = try await RunningProgram.start(
                "/bin/sleep", ["600"], log: "other", awaitsReady: false, in: fixture.scratch)
            let reader = try #require(try ProcessTable.entry(other.pid)?.name)
            // A process that ends before the session ends needs no attention: what it has left is erased with the rest.
            for process in [reader, ended] {
                fixture.sessionProcessSends(
                    .dataHolderArrived(bundleID: app, process, epoch: session.epoch, requestID: 8))
            }
            fixture.sessionProcessSends(.eraserEnlisted(eraser, me, epoch: session.epoch, requestID: 2))
            try await session.end()
            other.kill()
            _ = try await other.waitForExit()
            fixture.sessionProcessSends(
                .eraserAnswered(eraser, me, ended: session.epoch, .done, requestID: 9), sessionProcess: 2)
            #expect(try await session.taken().map(\.processes) == [[]])
            session.answer()
            #expect(try await fixture.status().lockedApps == [])
        }
        #expect(items.map(\.observer) == [.agent])
    }

    /// Runs `body` during a sign-out with two apps without folders. Each app has an eraser, and a process that
    /// registered both erasers has not answered.
    private func withoutFolders(
        agentLeaves: Bool = false,
        _ body: (SupervisorFixture, FakeAgent, Epoch, RunningProgram) async throws -> Void
    ) async throws {
        _ = try await with { fixture in
            let other = try await RunningProgram.start(
                "/bin/sleep", ["600"], log: "other", awaitsReady: false, in: fixture.scratch)
            let hanging = try #require(try ProcessTable.entry(other.pid)?.name)
            fixture.device.set(apps: [
                RegisteredApp(bundleID: app, clientID: "C-1", redirectURIs: []),
                RegisteredApp(bundleID: "org.example.other", clientID: "C-2", redirectURIs: [], binding: .user(1201)),
            ])
            fixture.inputs.post(.deviceChanged)
            let agent = try fixture.agent(of: 1000)
            let id = try await fixture.signIn(through: agent)
            let epoch = try await fixture.epoch()
            for process in [me, hanging] {
                fixture.sessionProcessSends(.eraserEnlisted(named, process, epoch: epoch, requestID: 2))
            }
            fixture.sessionProcessSends(.eraserEnlisted("org.example.other:notes", hanging, epoch: epoch, requestID: 2))
            fixture.order(.signOut(fromBrowser: false))
            guard case .close = try await agent.order() else { throw TestProblem("the browser is not closed") }
            agent.say(.closed(epoch: id))
            fixture.sessionProcessSends(
                .eraserAnswered(named, me, ended: epoch, .done, requestID: 9), sessionProcess: 2)
            #expect(try await fixture.status().session == "signingOut")
            if agentLeaves {
                agent.leave()
                while try await fixture.status().agentConnected {}
            }
            fixture.clock.pass(.seconds(3))
            try await body(fixture, agent, epoch, other)
            other.kill()
            _ = try await other.waitForExit()
        }
    }

    @Test func `a process that does not answer is ended, also of an app without folders, but not of another user`()
        async throws
    {
        try await withoutFolders { fixture, agent, epoch, other in
            guard case .clearData(epoch.id, let apps, _) = try await agent.order() else {
                throw TestProblem("no order")
            }
            let hanging = try #require(try ProcessTable.entry(other.pid)?.name)
            #expect(apps == [AppData(app: app, folders: [], processes: [hanging])])
            agent.say(.dataCleared(epoch: epoch.id, failures: [AppDataFailure(app: app, code: .missing)]))
            #expect(try await fixture.status().lockedApps == ["org.example.other", app])
            let end = try #require(try await fixture.finding("app_process_ended"))
            #expect(end.message.contains("Process \(other.pid) of \(app)"), "\(end)")
            #expect(end.message.contains(": notes."), "\(end)")
            // The killed process may have left data on the disk, so the process that has erased the data is asked once
            // more.
            other.kill()
            _ = try await fixture.sessionProcessReceives(.asked)
            while true {
                guard case .asked(let questions) = try await fixture.sessionProcessReceives(.asked) else { break }
                if questions[named] == ErasureQuestion(ended: epoch) { break }
            }
            fixture.sessionProcessSends(
                .eraserAnswered(named, me, ended: epoch, .done, requestID: 10), sessionProcess: 2)
            #expect(try await fixture.status().lockedApps == ["org.example.other"])
        }
    }

    @Test func `a process of an app without folders is ended, too, by an agent that comes back a second later`()
        async throws
    {
        try await withoutFolders(agentLeaves: true) { fixture, _, epoch, other in
            #expect(try await fixture.status().session == "signingOut")
            guard try await fixture.status().session == "signingOut" else { return }
            let next = try fixture.agent(of: 1000)
            guard case .clearData(epoch.id, let apps, _) = try await next.order() else {
                throw TestProblem("no order")
            }
            let hanging = try #require(try ProcessTable.entry(other.pid)?.name)
            #expect(apps == [AppData(app: app, folders: [], processes: [hanging])])
            next.say(.dataCleared(epoch: epoch.id, failures: []))
            #expect(try await fixture.status().session == "ready")
        }
    }

    /// A process without an eraser causes its app to be locked. The process ends either before the app is locked or
    /// afterwards.
    @Test(arguments: [true, false])
    func `once a process without an eraser has ended, the erasers of its app are asked again, and free it`(
        endsFirst: Bool
    ) async throws {
        _ = try await withReader { fixture, session, other in
            if endsFirst {
                other.kill()
                _ = try await other.waitForExit()
            }
            fixture.clock.pass(.seconds(5))
            #expect(try await fixture.status().lockedApps == [app])
            if !endsFirst {
                // As long as the other process runs, it could write the data again.
                fixture.sessionProcessSends(
                    .eraserAnswered(eraser, me, ended: session.epoch, .done, requestID: 10), sessionProcess: 2)
                #expect(try await fixture.status().lockedApps == [app])
                other.kill()
                _ = try await other.waitForExit()
                try await session.awaitQuestion(to: eraser)
            }
            fixture.sessionProcessSends(
                .eraserAnswered(eraser, me, ended: session.epoch, .done, requestID: 201), sessionProcess: 2)
            #expect(try await fixture.status().lockedApps == [])
            // What is gone is taken at no later sign-out.
            #expect(try !recorded(in: fixture).contains("kiosk"))
        }
    }

    @Test func `a process that the next worker has started does not keep its app locked`() async throws {
        _ = try await withReader { fixture, session, other in
            fixture.clock.pass(.seconds(5))
            #expect(try await fixture.status().lockedApps == [app])
            fixture.sessionProcessSends(.signInRequested(requestID: 2), sessionProcess: 2)
            fixture.sessionProcessSends(.signInSucceeded, sessionProcess: 2)
            let next = try await RunningProgram.start(
                "/bin/sleep", ["600"], log: "next", awaitsReady: false, in: fixture.scratch)
            let started = try #require(try ProcessTable.entry(next.pid)?.name)
            fixture.sessionProcessSends(
                .dataHolderArrived(bundleID: app, started, epoch: try await fixture.epoch(), requestID: 10),
                sessionProcess: 2)
            other.kill()
            _ = try await other.waitForExit()
            try await session.awaitQuestion(to: eraser)
            fixture.sessionProcessSends(
                .eraserAnswered(eraser, me, ended: session.epoch, .done, requestID: 201), sessionProcess: 2)
            #expect(try await fixture.status().lockedApps == [])
            next.kill()
            _ = try await next.waitForExit()
        }
    }

    @Test func `if a process of an app without folders cannot be ended, the doctor says so`() async throws {
        try await withoutFolders { fixture, agent, epoch, _ in
            guard case .clearData = try await agent.order() else { throw TestProblem("no order") }
            agent.say(.dataCleared(epoch: epoch.id, failures: [AppDataFailure(app: app, code: .processLeft)]))
            #expect(try await fixture.status().lockedApps == ["org.example.other", app])
            guard case .diagnosis(let diagnosis) = try await fixture.ask(.examine) else {
                throw TestProblem("no diagnosis")
            }
            let finding = diagnosis.findings.first { $0.message.hasPrefix(app) }
            #expect(finding?.message.contains("data_process_left") == true)
            #expect(!diagnosis.findings.contains { $0.code == "app_process_ended" })
        }
    }

    @Test func `the data of an app without an eraser is taken at once`() async throws {
        let items = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: me)
            try await session.end()
            #expect(try await session.taken().map(\.app) == [app])
            session.answer()
            #expect(try await fixture.status().session == "ready")
        }
        #expect(items.map(\.result) == [.done])
    }

    @Test func `the agent is not asked about an app that has erased, or that nobody has used`() async throws {
        let erased = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: me)
            fixture.sessionProcessSends(.eraserEnlisted(eraser, me, epoch: session.epoch, requestID: 2))
            try await session.end()
            fixture.sessionProcessSends(
                .eraserAnswered(eraser, me, ended: session.epoch, .done, requestID: 9), sessionProcess: 2)
            #expect(try await fixture.status().session == "ready")
        }
        #expect(erased.map(\.observer) == [.app])
        let unused = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: nil)
            try await session.end()
            #expect(try await fixture.status().session == "ready")
        }
        #expect(unused.isEmpty)
    }

    @Test func `an app whose data is still there is locked, with the reason, until the data is taken`() async throws {
        let items = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: me)
            try await session.end()
            _ = try await session.taken()
            session.answer(.mounted)
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [app])
            let finding = try await fixture.finding(CheckResult.appLocked)
            #expect(finding?.message.contains("data_mounted") == true)
            #expect(finding?.remedy?.contains("below the mount") == true)
            // A later worker's sign-out takes away what is left, although that worker does not use the app.
            let next = try await session.nextSignOut()
            session.agent.say(.dataCleared(epoch: next, failures: []))
            #expect(try await fixture.status().lockedApps == [])
        }
        #expect(items.map(\.result) == [.failed, .done])
    }

    @Test func `the doctor gives the same reason for a lock after a restart of the broker, until the lock is gone`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                try await locks(fixture)
                #expect(try await lock(fixture)?.message.contains("(data_mounted)") == true)
            }
            try await SupervisorFixture.with(scratch) { fixture in
                let finding = try #require(try await lock(fixture))
                #expect(finding.message.contains("(data_mounted)"))
                #expect(finding.remedy?.contains("below the mount") == true)
                fixture.order(.unlock(app: app))
                #expect(try await lock(fixture) == nil)
            }
            #expect(!FileManager.default.fileExists(atPath: scratch.path("device/app-lock-reasons.json")))
        }
    }

    @Test func `a damaged record of the reasons costs the reasons alone`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                try await locks(fixture)
                #expect(try await fixture.status().lockedApps == [app])
            }
            try AtomicFile(path: scratch.path("device/app-lock-reasons.json")).replace(with: Array("{".utf8))
            try await SupervisorFixture.with(scratch) { fixture in
                let locked = try await fixture.status().lockedApps
                fixture.order(.unlock(app: app))
                let unlocked = try await fixture.status().lockedApps
                #expect(locked == [app] && unlocked == [])
            }
        }
    }

    /// Ends a session of an app whose folder has a mount.
    private func locks(_ fixture: SupervisorFixture) async throws {
        let session = try await Session(fixture, eraser: nil, process: me)
        try await session.end()
        _ = try await session.taken()
        session.answer(.mounted)
    }

    /// The doctor's finding about a locked app.
    private func lock(_ fixture: SupervisorFixture) async throws -> CheckResult? {
        try await fixture.finding(CheckResult.appLocked)
    }

    @Test func `a process that connects while data is taken away ends, too`() async throws {
        let items = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: ended)
            try await session.end()
            #expect(try await session.taken().map(\.processes) == [[]])
            fixture.sessionProcessSends(
                .dataHolderArrived(bundleID: app, me, epoch: session.epoch, requestID: 8), sessionProcess: 2)
            session.answer()
            #expect(try await session.taken().map(\.processes) == [[me]])
            #expect(try await fixture.status().session == "signingOut")
            session.answer()
            #expect(try await fixture.status().session == "ready")
        }
        #expect(items.map(\.result) == [.done])
    }

    @Test func `the processes of an app that stays locked are not forgotten`() async throws {
        _ = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: me)
            try await session.end()
            #expect(try await session.taken().map(\.processes) == [[me]])
            session.answer(.processLeft)
            #expect(try await fixture.status().lockedApps == [app])
            fixture.sessionProcessSends(.signInRequested(requestID: 2), sessionProcess: 2)
            fixture.sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"), sessionProcess: 2)
            guard case .open(_, let next, _, _) = try await session.agent.order() else {
                throw TestProblem("no browser")
            }
            fixture.sessionProcessSends(.signInSucceeded, sessionProcess: 2)
            fixture.order(.signOut(fromBrowser: false))
            guard case .close = try await session.agent.order() else { throw TestProblem("not closed") }
            session.agent.say(.closed(epoch: next))
            guard case .clearData(next, let apps, _) = try await session.agent.order() else {
                throw TestProblem("nothing is taken")
            }
            #expect(apps.map(\.processes) == [[me]])
        }
    }

    @Test func `an agent that comes back within the time gets the order again`() async throws {
        let items = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: me)
            try await session.end()
            _ = try await session.taken()
            session.agent.leave()
            let next = try fixture.agent(of: 1000)
            guard case .clearData(session.id, let apps, _) = try await next.order() else {
                throw TestProblem("another order")
            }
            #expect(apps.map(\.app) == [app])
            next.say(.dataCleared(epoch: session.id, failures: []))
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [])
        }
        #expect(items.map(\.result) == [.done])
    }

    @Test(arguments: [true, false])
    func `an agent that does not answer, or ends, delays nobody for long and frees no app`(ends: Bool) async throws {
        let items = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: me)
            try await session.end()
            _ = try await session.taken()
            if ends { session.agent.leave() }
            #expect(try await fixture.status().session == "signingOut")
            fixture.clock.pass(.seconds(5))
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [app])
            // A late answer changes nothing.
            session.answer()
            #expect(try await fixture.status().lockedApps == [app])
        }
        // The agent has reported nothing.
        #expect(items.map(\.result) == [.unanswered] && items.map(\.observer) == [.app])
    }

    @Test func `the folders that a registration named earlier in the session are taken, too`() async throws {
        _ = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: me)
            try await register(["/home/kiosk/other"], in: fixture)
            try await session.end()
            let both = [["/home/kiosk/other", Self.folder]]
            #expect(try await session.taken().map(\.folders) == both)
            // If one of them cannot be taken, the next sign-out tries again, and only then is the app free.
            session.answer(.mounted)
            #expect(try await fixture.status().lockedApps == [app])
            let next = try await session.nextOrder()
            #expect(next.data.map(\.folders) == both)
            session.agent.say(.dataCleared(epoch: next.epoch, failures: []))
            #expect(try await fixture.status().lockedApps == [])
            #expect(try !recorded(in: fixture).contains("kiosk"))
        }
    }

    @Test func `an app whose registration has named too many folders is locked until its data is removed by hand`()
        async throws
    {
        _ = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: me)
            for number in 0..<20 {
                try await register((0..<8).map { "/home/kiosk/ward-\(number)/\($0)" }, in: fixture)
            }
            // The first folder, and as many others as make one too many.
            #expect(try recorded(in: fixture).ranges(of: "ward-").count == 32)
            try await session.end()
            var status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [app])
            let finding = try #require(try await fixture.finding("app_locked"))
            #expect(finding.message.contains("data_folders_many") && finding.remedy?.contains("tries again") == false)
            // At a later sign-out, the broker still does not know all of the folders.
            _ = try await session.nextEnd()
            status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [app])
            fixture.order(.unlock(app: app))
            #expect(try await fixture.status().lockedApps == [])
            #expect(try !recorded(in: fixture).contains("kiosk"))
        }
    }

    @Test(arguments: [EraserReport.Result.failed, .done, nil])
    func `an app without its folders is locked if not all of it has erased, because its data may be elsewhere`(
        answer: EraserReport.Result?
    ) async throws {
        let items = try await with { fixture in
            let second: AppEraser = "org.example.ward:cache"
            let session = try await Session(fixture, eraser: eraser, process: me)
            fixture.sessionProcessSends(.eraserEnlisted(second, .unseen, epoch: session.epoch, requestID: 2))
            try await session.end()
            if let answer {
                fixture.sessionProcessSends(
                    .eraserAnswered(eraser, .unseen, ended: session.epoch, answer, requestID: 9), sessionProcess: 2)
            }
            _ = try await fixture.status()
            fixture.clock.pass(.seconds(3))
            _ = try await session.taken()
            session.answer(.missing)
            #expect(try await fixture.status().lockedApps == [app])
            // The next session does not unlock the app either.
            let next = try await session.nextSignOut()
            session.agent.say(
                .dataCleared(epoch: next, failures: [AppDataFailure(app: app, code: .missing)]))
            #expect(try await fixture.status().lockedApps == [app])
        }
        #expect(items.first?.result == .failed)
    }

    @Test func `an app without an eraser and without its folder is not locked, and the receipt says nothing of it`()
        async throws
    {
        let items = try await with { fixture in
            let session = try await Session(fixture, eraser: nil, process: me)
            try await session.end()
            _ = try await session.taken()
            session.answer(.missing)
            #expect(try await fixture.status().lockedApps == [])
            #expect(try await fixture.finding("app_folder_missing")?.message.contains(app) == true)
        }
        #expect(items.isEmpty)
    }

    @Test func `an administrator sees that the agent cannot remove what it took away, until it can`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                #expect(try await fixture.finding("data_not_removed") == nil)
                agent.say(.dataLeft(folders: 2))
                let finding = try await fixture.finding("data_not_removed")
                #expect(finding?.verdict == .bad && finding?.message.contains("folders: 2") == true)
                agent.say(.dataLeft(folders: 0))
                #expect(try await fixture.finding("data_not_removed") == nil)
            }
        }
    }

    @Test func `if it is not known which processes an app has, it is locked until the machine has started again`()
        async throws
    {
        try await Scratch.with { scratch in
            let file = AtomicFile(path: scratch.path("device/app-processes.json"))
            try await SupervisorFixture.with(scratch) { _ = try await Session($0, eraser: nil, process: me) }
            try file.replace(with: Array("{".utf8))
            try await SupervisorFixture.with(scratch) { fixture in
                fixture.device.set(apps: [try Session.registration])
                fixture.inputs.post(.deviceChanged)
                let agent = try fixture.agent(of: 1000)
                guard case .close(let id) = try await agent.order() else { throw TestProblem("not closed") }
                agent.say(.closed(epoch: id))
                #expect(try await fixture.status().lockedApps == [app])
            }
            let record = String(decoding: try #require(try file.read()), as: UTF8.self)
            try file.replace(with: Array(record.replacing(try BootClock.id(), with: "former").utf8))
            try await SupervisorFixture.with(scratch) { fixture in
                let session = try await Session(fixture, eraser: nil, process: nil)
                try await session.end()
                #expect(try await session.taken().map(\.processes) == [[]])
                session.answer()
                #expect(try await fixture.status().lockedApps == [])
            }
        }
    }

    @Test(arguments: [true, false])
    func `after a restart, too, the folders are taken that a registration named earlier in the session`(
        bootsAgain: Bool
    ) async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await Session(fixture, eraser: nil, process: me)
            }
            if bootsAgain {
                let file = scratch.path("device/app-processes.json")
                let record = try String(contentsOfFile: file, encoding: .utf8)
                let boot = try BootClock.id()
                try record.replacing(boot, with: "another").write(toFile: file, atomically: false, encoding: .utf8)
            }
            try await SupervisorFixture.with(scratch) { fixture in
                fixture.device.set(apps: [
                    RegisteredApp(
                        bundleID: app, clientID: "C-1", redirectURIs: [],
                        dataFolders: [try #require(DataFolder("/home/kiosk/other"))])
                ])
                fixture.inputs.post(.deviceChanged)
                let agent = try fixture.agent(of: 1000)
                guard case .close(let id) = try await agent.order() else { throw TestProblem("not closed") }
                agent.say(.closed(epoch: id))
                guard case .clearData(id, let apps, _) = try await agent.order() else {
                    throw TestProblem("nothing is taken")
                }
                #expect(apps.map(\.folders) == [["/home/kiosk/other", Self.folder]])
                #expect(apps.map(\.processes) == [bootsAgain ? [] : [me]])
            }
        }
    }

    @Test func `after a restart of the broker, the agent takes the data of the apps in the journal`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await Session(fixture, eraser: nil, process: me)
            }
            try await SupervisorFixture.with(scratch) { fixture in
                fixture.device.set(apps: [try Session.registration])
                fixture.inputs.post(.deviceChanged)
                let agent = try fixture.agent(of: 1000)
                guard case .close(let id) = try await agent.order() else { throw TestProblem("not closed") }
                agent.say(.closed(epoch: id))
                guard case .clearData(id, let apps, _) = try await agent.order() else {
                    throw TestProblem("nothing is taken")
                }
                #expect(apps == [AppData(app: app, folders: [Self.folder], processes: [me])])
            }
            // Also if the registration is gone.
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                guard case .close(let id) = try await agent.order() else { throw TestProblem("not closed") }
                agent.say(.closed(epoch: id))
                guard case .clearData(id, let apps, _) = try await agent.order() else {
                    throw TestProblem("nothing is taken")
                }
                #expect(apps.map(\.folders) == [[Self.folder]])
            }
        }
    }
}
