// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerSupervisor
import DeviceSettings
import SessionIPC
import TestSupport
import Testing

/// The choice of the connection that is closed if there are too many.
@Suite struct ConnectionTableTests {
    private static let limits = ConnectionLimits(process: 4, session: 8, app: 3, user: 10, total: 12)

    /// A table in which a connection's number is its age, and some connections are busy.
    private struct ConnectionLimiter {
        var table = ConnectionTable<Int>(ConnectionTableTests.limits)
        var busy: Set<Int> = []
        var next = 0

        /// Adds a connection for a program of the session, or for an app with its own socket.
        @discardableResult
        mutating func add(
            _ process: Int32, user: UInt32 = 1000, app: String? = nil, busy isBusy: Bool = false
        ) -> ConnectionTable<Int>.Admission {
            next += 1
            if isBusy { busy.insert(next) }
            let busy = busy
            return table.admit(
                next, of: AppProcess(user: user, identity: app.map { .socket($0) } ?? .session, number: process)
            ) { .init(isIdle: !busy.contains($0), last: UInt64($0)) }
        }
    }

    @Test func `a process over its limit loses its own oldest idle connection, or is refused if none is idle`() {
        var places = ConnectionLimiter()
        places.add(7, busy: true)
        for _ in 2...4 { places.add(7) }
        #expect(places.add(7) == .displacing(2, .process))
        for _ in 0..<3 { places.add(7, busy: true) }
        #expect(places.add(7) == .refused(.process))
        #expect(places.table.count == 4)
    }

    @Test func `a new program takes the place of a greedy program's oldest connection, busy or not`() {
        var places = ConnectionLimiter()
        for process in [7, 8] as [Int32] { for _ in 0..<4 { places.add(process, busy: true) } }
        #expect(places.add(9) == .displacing(1, .app))
        #expect(places.add(9) == .displacing(5, .app))
        // The processes have three, three and two connections: no other process has at least two connections more than
        // process 9.
        #expect(places.add(9) == .displacing(9, .app))
    }

    @Test func `a crowd of processes with one idle connection each keeps nobody out`() {
        var places = ConnectionLimiter()
        for process in 1...8 as ClosedRange<Int32> { places.add(process, busy: process == 1) }
        #expect(places.add(9) == .displacing(2, .app))
        var busy = ConnectionLimiter()
        for process in 1...8 as ClosedRange<Int32> { busy.add(process, busy: true) }
        #expect(busy.add(9) == .refused(.app))
    }

    @Test func `an app with its own identity loses no connection to programs of the session or to another app`() {
        var places = ConnectionLimiter()
        for _ in 0..<3 { places.add(1, app: "a.b") }
        for process in [7, 8] as [Int32] { for _ in 0..<4 { places.add(process) } }
        #expect(places.add(1, app: "a.b") == .displacing(1, .app))
        // The limit of the user is reached now, so the app with the most connections, here the session, loses a
        // connection.
        #expect(places.table.count == 10)
        #expect(places.add(2, app: "c.d") == .displacing(4, .user))
        #expect(places.add(9, user: 1001) == .admitted)
        #expect(places.add(9, user: 1001) == .admitted)
        #expect(places.add(9, user: 1001) == .displacing(5, .total))
    }

    @Test func `no limit is exceeded, in whatever order connections arrive`() {
        var random = SplitMix(seed: 20_261_122)
        var places = ConnectionLimiter()
        var held: [Int: AppProcess] = [:]
        for _ in 0..<5000 {
            let process = Int32.random(in: 1...6, using: &random)
            let user = UInt32.random(in: 1000...1001, using: &random)
            let app = Bool.random(using: &random) ? nil : ["a.b", "c.d"].randomElement(using: &random)
            let admission = places.add(process, user: user, app: app, busy: Int.random(in: 0...3, using: &random) == 0)
            let identity = app.map { AppIdentity.socket($0) } ?? .session
            let newcomer = AppProcess(user: user, identity: identity, number: process)
            switch admission {
            case .refused: #expect(!places.table.contains(places.next))
            case .admitted: held[places.next] = newcomer
            case .displacing(let other, _):
                #expect(held.removeValue(forKey: other) != nil)
                held[places.next] = newcomer
            }
            if Int.random(in: 0...4, using: &random) == 0, let leaver = held.keys.sorted().randomElement(using: &random)
            {
                places.table.remove(leaver)
                held[leaver] = nil
            }
            #expect(places.table.count == held.count && held.count <= 12)
            #expect(held.values.filter { $0 == newcomer }.count <= 4)
        }
    }

    // MARK: - Reports for operators

    private func report(_ app: String, at time: Int) -> ConnectionLimitReport {
        ConnectionLimitReport(app: app, user: 1, process: 2, stage: .serving, limit: .app, held: 64, at: time)
    }

    @Test func `a repeated report within a pause is counted and included in the next one`() {
        var reports = LimitReports()
        #expect(reports.note(report("a.b", at: 100), pause: 60)?.closed == 1)
        for time in 101...103 { #expect(reports.note(report("a.b", at: time), pause: 60) == nil) }
        #expect(reports.note(report("c.d", at: 104), pause: 60)?.closed == 1)
        #expect(reports.note(report("a.b", at: 160), pause: 60)?.closed == 4)
        #expect(reports.since(150).map(\.closed) == [5] && reports.since(104).count == 2 && reports.since(161).isEmpty)
    }

    @Test func `the reports of a thousand apps take no more room than those of sixteen`() {
        var reports = LimitReports()
        for number in 0..<1000 { _ = reports.note(report("app\(number)", at: number), pause: 60) }
        #expect(reports.since(0).count == 16)
    }

    @Test func `the doctor names an app that has reached its connection limit, with a remedy`() {
        let findings = CheckResult.connections([report("a.b", at: 1)])
        #expect(findings.map(\.code) == ["connections_full"] && findings[0].verdict == .warning)
        #expect(findings[0].message.contains("a.b") && findings[0].message.contains("64") && findings[0].remedy != nil)
        #expect(CheckResult.connections([]).map(\.verdict) == [.good])
    }
}
