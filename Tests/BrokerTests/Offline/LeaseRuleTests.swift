// SPDX-License-Identifier: Apache-2.0
import BrokerSession
import OAuth
import Testing

@Suite struct LeaseRuleTests {
    private static let issued = 1_000_000
    private static let lease = OfflineLease(
        id: "lease", tenant: "tenant", device: "device",
        person: .init(id: "id", userName: "amara", displayName: "Amara", givenName: nil, familyName: nil),
        issued: issued, ends: issued + 10_000, limits: .init(poweredSeconds: 5000, boots: 2, attempts: 5),
        credentials: [.password], password: nil, receiptSubjects: [])

    /// A time record that begins when the lease is granted.
    private var time = OfflineTime(at: OfflineMoment(wall: issued, sinceBoot: 500, boot: "a"))
    private let since: OfflineTime.Mark

    init() { since = time.mark }

    private var end: LeaseRule.End? { LeaseRule.end(of: Self.lease, since: since, by: time) }

    private mutating func pass(wall: Int, sinceBoot: Int, boot: String = "a") {
        time.note(OfflineMoment(wall: Self.issued + wall, sinceBoot: sinceBoot, boot: boot))
    }

    @Test mutating func `a lease is valid until its signed end, and not a second longer`() {
        #expect(end == nil)
        pass(wall: 9999, sinceBoot: 600)
        #expect(end == nil)
        pass(wall: 10_000, sinceBoot: 600)
        #expect(end == .wallClock)
    }

    @Test mutating func `a lease ends after enough time powered on, whatever the wall clock says`() {
        pass(wall: 1, sinceBoot: 5499)
        #expect(end == nil)
        pass(wall: 1, sinceBoot: 5500)
        #expect(end == .poweredTime)
    }

    @Test mutating func `the remaining time is that of the limit that is reached first`() {
        var remaining: Int { LeaseRule.remaining(of: Self.lease, since: since, by: time) }
        #expect(remaining == 5000)
        pass(wall: 10, sinceBoot: 1500)
        #expect(remaining == 4000)
        pass(wall: 9990, sinceBoot: 1501)
        #expect(remaining == 10)
        pass(wall: 20_000, sinceBoot: 1502)
        #expect(remaining == 0)
    }

    @Test mutating func `powered-on time is summed over starts`() {
        pass(wall: 10, sinceBoot: 2500)
        pass(wall: 20, sinceBoot: 2000, boot: "b")
        #expect(end == nil)
        pass(wall: 30, sinceBoot: 999, boot: "c")
        #expect(end == nil)
        pass(wall: 40, sinceBoot: 1000, boot: "c")
        #expect(end == .poweredTime)
    }

    @Test mutating func `a lease ends at the first start over its limit`() {
        pass(wall: 1, sinceBoot: 1, boot: "b")
        pass(wall: 2, sinceBoot: 1, boot: "c")
        #expect(end == nil)
        pass(wall: 3, sinceBoot: 1, boot: "d")
        #expect(end == .boots)
    }

    @Test mutating func `the same start does not count twice`() {
        for second in 1...100 { pass(wall: second, sinceBoot: 500 + second) }
        #expect(end == nil)
        #expect(time.mark != since)
    }

    @Test mutating func `a wall clock that was set back blocks sign-in, even after it was corrected`() {
        pass(wall: 5000, sinceBoot: 600)
        #expect(LeaseRule.mayBegin(by: time))
        pass(wall: 4939, sinceBoot: 700)
        #expect(!LeaseRule.mayBegin(by: time))
        pass(wall: 5100, sinceBoot: 800)
        #expect(!LeaseRule.mayBegin(by: time))
    }

    @Test mutating func `a wall clock that a time service sets back a little is accepted`() {
        pass(wall: 5000, sinceBoot: 600)
        for _ in 0..<10 { pass(wall: 4940, sinceBoot: 700) }
        #expect(LeaseRule.mayBegin(by: time))
        #expect(time.highest == Self.issued + 5000)
    }

    @Test mutating func `a lease that has ended by the wall clock stays ended when the clock is set back`() {
        pass(wall: 10_000, sinceBoot: 600)
        pass(wall: 9000, sinceBoot: 700)
        #expect(end == .wallClock)
    }

    @Test mutating func `a wall clock that agrees with the server's time is trusted again`() {
        pass(wall: 50_000, sinceBoot: 600)
        pass(wall: 5000, sinceBoot: 700)
        #expect(!LeaseRule.mayBegin(by: time))
        let moment = OfflineMoment(wall: Self.issued + 5001, sinceBoot: 701, boot: "a")
        time.trust(Self.issued + 5030, at: moment)
        #expect(LeaseRule.mayBegin(by: time))
        #expect(time.highest == Self.issued + 5030)
        #expect(end == nil)
    }

    @Test mutating func `a wall clock behind the server's is not trusted, because it would make leases longer`() {
        let moment = OfflineMoment(wall: Self.issued + 10, sinceBoot: 600, boot: "a")
        time.trust(Self.issued + 500, at: moment)
        #expect(!LeaseRule.mayBegin(by: time))
        #expect(time.highest == Self.issued + 500)
    }

    @Test mutating func `a time record that was restored from before the lease ends the lease`() {
        let early = OfflineTime(at: OfflineMoment(wall: Self.issued, sinceBoot: 0, boot: "z"))
        pass(wall: 1, sinceBoot: 700)
        #expect(LeaseRule.end(of: Self.lease, since: time.mark, by: early) == .poweredTime)
        var shortly = early
        shortly.note(OfflineMoment(wall: Self.issued, sinceBoot: 4000, boot: "z"))
        pass(wall: 1, sinceBoot: 10, boot: "b")
        #expect(LeaseRule.end(of: Self.lease, since: time.mark, by: shortly) == .boots)
    }
}
