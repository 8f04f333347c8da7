// SPDX-License-Identifier: Apache-2.0
import Authenticator
import Testing

/// When a session ends by itself.
@Suite struct StayTests {
    private func stay(
        idle: Int = 0, warning: Int = 60, length: Int = 0, ends: [Int] = [], secondOfDay: Int = 0
    ) -> Stay {
        Stay(
            StayRules(idle: idle, idleWarning: warning, shiftLength: length, shiftEnds: ends), from: .seconds(1000),
            wall: 50_000, secondOfDay: secondOfDay)
    }

    @Test func `a person who does nothing is warned once, and then signed out`() {
        var stay = stay(idle: 900)
        #expect(stay.due(at: .seconds(1839), wall: 50_839) == nil)
        #expect(stay.pause(at: .seconds(1839)) == .seconds(1))
        #expect(stay.due(at: .seconds(1840), wall: 50_840) == .warning(seconds: 60))
        #expect(stay.due(at: .seconds(1841), wall: 50_841) == nil)
        #expect(stay.pause(at: .seconds(1840)) == .seconds(60))
        #expect(stay.due(at: .seconds(1900), wall: 50_900) == .end(.idle))
    }

    @Test func `what a person does begins the idle time anew, with its warning`() {
        var stay = stay(idle: 900)
        #expect(stay.due(at: .seconds(1850), wall: 0) == .warning(seconds: 50))
        stay.activity(at: .seconds(1860))
        #expect(stay.due(at: .seconds(1900), wall: 0) == nil)
        #expect(stay.pause(at: .seconds(1900)) == .seconds(800))
        #expect(stay.due(at: .seconds(2700), wall: 0) == .warning(seconds: 60))
        #expect(stay.due(at: .seconds(2760), wall: 0) == .end(.idle))
    }

    @Test func `a person who comes back after the idle time does not find the session of the one before`() {
        var stay = stay(idle: 900)
        stay.activity(at: .seconds(1900))
        #expect(stay.due(at: .seconds(1900), wall: 0) == .end(.idle))
    }

    @Test func `a shift ends after its length, whatever the person does`() {
        var stay = stay(idle: 900, length: 3600)
        stay.activity(at: .seconds(1899))
        #expect(stay.due(at: .seconds(1900), wall: 0) == nil)
        for second in stride(from: 2000, through: 4500, by: 500) { stay.activity(at: .seconds(second)) }
        #expect(stay.due(at: .seconds(4599), wall: 0) == nil)
        #expect(stay.due(at: .seconds(4600), wall: 0) == .end(.shiftEnd))
    }

    @Test func `a shift ends at the next of its times, by either clock`() {
        // Two in the afternoon and ten at night; it is one o'clock.
        let afternoon = stay(ends: [14 * 60, 22 * 60], secondOfDay: 13 * 3600)
        var steady = afternoon
        #expect(steady.due(at: .seconds(4599), wall: 53_599) == nil)
        #expect(steady.due(at: .seconds(4600), wall: 50_000) == .end(.shiftEnd))
        // Somebody sets the clock forward; nobody can put the end off by setting it back.
        var jumped = afternoon
        #expect(jumped.due(at: .seconds(1001), wall: 53_600) == .end(.shiftEnd))
        #expect(afternoon.pause(at: .seconds(1000)) == .seconds(900))
    }

    @Test(arguments: [(0, 86_400), (1, 86_399), (86_399, 1), (43_200, 43_200)])
    func `a shift that begins when another ends lasts until the next day`(secondOfDay: Int, left: Int) {
        let rules = StayRules(idle: 0, idleWarning: 0, shiftLength: 0, shiftEnds: [0])
        #expect(rules.secondsToShiftEnd(at: secondOfDay) == left)
    }

    @Test func `a stay without rules has no end and wakes nobody`() {
        var stay = stay()
        #expect(stay.due(at: .seconds(1_000_000_000), wall: 1_000_000_000) == nil)
        #expect(stay.pause(at: .seconds(1000)) == nil)
    }
}
