// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSession
import DeviceHTTPS
import DeviceSettings
import SessionIPC
import Testing

/// The limits on the memory of apps' open requests.
@Suite struct RequestLedgerTests {
    private let ledger = RequestLedger()
    private let short = RequestLedger.size(of: request(parameterBytes: 100))
    private let long = RequestLedger.size(of: request(parameterBytes: 60 << 10))

    private static func request(parameterBytes: Int) -> Request {
        let claims = String(repeating: "a", count: parameterBytes)
        return Request(id: "1", operation: .login, parameters: FlatMap(["claims": claims]), isSilent: true)
    }

    private func process(_ number: Int32, of identity: AppIdentity = .session, user: UInt32 = 1000) -> AppProcess {
        AppProcess(user: user, identity: identity, number: number)
    }

    /// Takes as much memory as a process can get.
    ///
    /// - Returns: the amount, and the reason for the refusal.
    @discardableResult
    private func exhaust(_ process: AppProcess) -> (taken: Int, refusal: RequestLedger.Admission) {
        for count in 0..<1000 {
            let admission = ledger.take(long, for: process)
            guard admission == .admitted else { return (count * long, admission) }
        }
        return (.max, .admitted)
    }

    /// Whether there is no room for one more long request.
    private func isFull(_ held: Int, of limit: Int) -> Bool { held <= limit && held + long > limit }

    @Test func `a process may use two MiB, and what it gives back is free again`() {
        let (taken, refusal) = exhaust(process(1))
        #expect(isFull(taken, of: 2048) && refusal == .refused(.process, held: taken))
        #expect(ledger.take(RequestLedger.size(ofFrame: 1 << 20), for: process(1)) != .admitted)
        ledger.giveBack(long, for: process(1))
        #expect(ledger.take(long, for: process(1)) == .admitted && ledger.take(long, for: process(1)) != .admitted)
        // Short frames are not counted.
        #expect(ledger.take(RequestLedger.size(ofFrame: 1000), for: process(1)) == .admitted)
    }

    @Test func `programs of a session cannot use all of the memory, however many they are`() {
        for number in 1...8 as ClosedRange<Int32> { exhaust(process(number)) }
        guard case .refused(.app, let held) = exhaust(process(9)).refusal else {
            Issue.record("the share of the session's programs has no end")
            return
        }
        #expect(isFull(held, of: 6144))
        let app = process(10, of: .socket("a.b"))
        #expect(ledger.take(RequestLedger.size(ofFrame: 1 << 20), for: app) == .admitted)
    }

    @Test func `a user with many apps has a limit, and all users together have one`() {
        for number in 1...6 as ClosedRange<Int32> { exhaust(process(number, of: .socket("app\(number)"))) }
        guard case .refused(.user, let held) = exhaust(process(7, of: .socket("app7"))).refusal else {
            Issue.record("a user's share has no end")
            return
        }
        #expect(isFull(held, of: 8192))
        for number in 1...4 as ClosedRange<Int32> { exhaust(process(number, user: 1001)) }
        guard case .refused(.total, let total) = exhaust(process(1, user: 1002)).refusal else {
            Issue.record("the pool has no end")
            return
        }
        #expect(isFull(total, of: 12_288))
    }

    @Test func `every process has room for some requests, however much the others use`() {
        for user in 1000...1003 as ClosedRange<UInt32> {
            for number in 1...20 as ClosedRange<Int32> { exhaust(process(number, user: user)) }
        }
        let modest = process(99)
        for _ in 0..<8 { #expect(ledger.take(short, for: modest) == .admitted) }
        #expect(ledger.take(short, for: modest) != .admitted)
        // Memory that a process gives back is available to this process again, but not to other processes.
        ledger.giveBack(short, for: modest)
        #expect(exhaust(process(1)).taken == 0)
        #expect(ledger.take(short, for: modest) == .admitted)
    }
}
