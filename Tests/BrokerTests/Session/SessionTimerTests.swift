// SPDX-License-Identifier: Apache-2.0
import BrokerSupervisor
import DeviceSettings
import Testing

/// When a session ends automatically.
@Suite struct SessionTimerTests {
    private func sessionTimer(
        idle: Int = 0, warning: Int = 60, length: Int = 0, ends: [Int] = [], secondOfDay: Int = 0
    ) -> SessionTimer {
        SessionTimer(
            SessionTimeouts(idle: idle, idleWarning: warning, shiftLength: length, shiftEnds: ends),
            from: .init(moment: 1000, wall: 50_000, secondOfDay: secondOfDay))
    }

    @Test func `a person who does nothing is warned once, and then signed out`() {
        var sessionTimer = sessionTimer(idle: 900)
        #expect(sessionTimer.due(at: .seconds(1839), wall: 50_839) == nil)
        #expect(sessionTimer.pause(at: .seconds(1839)) == .seconds(1))
        #expect(sessionTimer.due(at: .milliseconds(1_840_400), wall: 50_840) == .warning(seconds: 60))
        #expect(sessionTimer.due(at: .seconds(1841), wall: 50_841) == nil)
        #expect(sessionTimer.pause(at: .seconds(1840)) == .seconds(60))
        #expect(sessionTimer.due(at: .seconds(1900), wall: 50_900) == .end(.idle))
    }

    @Test func `a person's activity restarts the idle time, with its warning`() {
        var sessionTimer = sessionTimer(idle: 900)
        #expect(sessionTimer.due(at: .seconds(1850), wall: 0) == .warning(seconds: 50))
        sessionTimer.activity(at: .seconds(1860))
        #expect(sessionTimer.due(at: .seconds(1900), wall: 0) == nil)
        #expect(sessionTimer.pause(at: .seconds(1900)) == .seconds(800))
        #expect(sessionTimer.due(at: .seconds(2700), wall: 0) == .warning(seconds: 60))
        #expect(sessionTimer.due(at: .seconds(2760), wall: 0) == .end(.idle))
    }

    @Test func `a person who returns after the idle time does not find the former worker's session`() {
        var sessionTimer = sessionTimer(idle: 900)
        sessionTimer.activity(at: .seconds(1900))
        #expect(sessionTimer.due(at: .seconds(1900), wall: 0) == .end(.idle))
    }

    @Test func `a shift ends after its length, whatever the person does`() {
        var sessionTimer = sessionTimer(idle: 900, length: 3600)
        sessionTimer.activity(at: .seconds(1899))
        #expect(sessionTimer.due(at: .seconds(1900), wall: 0) == nil)
        for second in stride(from: 2000, through: 4500, by: 500) { sessionTimer.activity(at: .seconds(second)) }
        #expect(sessionTimer.due(at: .seconds(4599), wall: 0) == nil)
        #expect(sessionTimer.due(at: .seconds(4600), wall: 0) == .end(.shiftEnd))
    }

    @Test func `a shift ends at the next of its times, by either clock`() {
        // Shifts end at 14:00 and 22:00; it is 13:00.
        let afternoon = sessionTimer(ends: [14 * 60, 22 * 60], secondOfDay: 13 * 3600)
        var steady = afternoon
        #expect(steady.due(at: .seconds(4599), wall: 53_599) == nil)
        #expect(steady.due(at: .seconds(4600), wall: 50_000) == .end(.shiftEnd))
        // The clock is set forward. Setting it back must not postpone the end.
        var jumped = afternoon
        #expect(jumped.due(at: .seconds(1001), wall: 53_600) == .end(.shiftEnd))
        #expect(afternoon.pause(at: .seconds(1000)) == .seconds(900))
    }

    @Test(arguments: [(0, 86_400), (1, 86_399), (86_399, 1), (43_200, 43_200)])
    func `a shift that begins when another ends lasts until the next day`(secondOfDay: Int, left: Int) {
        let rules = SessionTimeouts(idle: 0, idleWarning: 0, shiftLength: 0, shiftEnds: [0])
        #expect(rules.secondsToShiftEnd(at: secondOfDay) == left)
    }

    @Test func `a session without timeouts has no end and sets no timer`() {
        var sessionTimer = sessionTimer()
        #expect(sessionTimer.due(at: .seconds(1_000_000_000), wall: 1_000_000_000) == nil)
        #expect(sessionTimer.pause(at: .seconds(1000)) == nil)
    }

    @Test func `a late activity message undoes nothing`() {
        var sessionTimer = sessionTimer(idle: 900)
        sessionTimer.activity(at: .seconds(1500))
        sessionTimer.activity(at: .seconds(1100))
        #expect(sessionTimer.due(at: .seconds(2339), wall: 0) == nil)
        #expect(sessionTimer.due(at: .seconds(2340), wall: 0) == .warning(seconds: 60))
        #expect(sessionTimer.pause(at: .seconds(5000)) == nil)
    }

    private func resumed(
        idle: Int = 0, length: Int = 0, ends: [Int] = [], isKnown: Bool = true, activity: Int? = nil
    ) -> SessionTimer {
        SessionTimer(
            SessionTimeouts(idle: idle, idleWarning: 60, shiftLength: length, shiftEnds: ends),
            resuming: isKnown ? .init(moment: 1000, wall: 50_000, secondOfDay: 13 * 3600) : nil,
            activity: activity.map { .seconds($0) }, at: .seconds(2000))
    }

    @Test func `a restart does not lengthen a shift`() {
        var byLength = resumed(length: 3600)
        #expect(byLength.due(at: .seconds(4599), wall: 0) == nil)
        #expect(byLength.due(at: .seconds(4600), wall: 0) == .end(.shiftEnd))
        var byTime = resumed(ends: [14 * 60])
        #expect(byTime.due(at: .seconds(4599), wall: 53_599) == nil)
        #expect(byTime.due(at: .seconds(4600), wall: 0) == .end(.shiftEnd))
        #expect(byTime.due(at: .seconds(2000), wall: 53_600) == .end(.shiftEnd))
    }

    @Test func `a shift with an unknown start has ended, and without a shift limit nothing ends`() {
        for (length, ends) in [(3600, []), (0, [14 * 60])] {
            var unknown = resumed(length: length, ends: ends, isKnown: false)
            #expect(unknown.due(at: .seconds(2000), wall: 0) == .end(.shiftEnd))
        }
        var free = resumed(isKnown: false)
        #expect(free.due(at: .seconds(1_000_000), wall: 0) == nil)
    }

    @Test func `after a restart the idle time continues, and never ends the session without a warning`() {
        var known = resumed(idle: 900, activity: 1900)
        #expect(known.due(at: .seconds(2739), wall: 0) == nil)
        #expect(known.due(at: .seconds(2740), wall: 0) == .warning(seconds: 60))
        for activity in [0, 1100] {
            var long = resumed(idle: 900, activity: activity)
            #expect(long.due(at: .seconds(2000), wall: 0) == .warning(seconds: 60))
        }
        // An activity time in the future is ignored.
        var early = resumed(idle: 900, activity: 9000)
        #expect(early.due(at: .seconds(2900), wall: 0) == .end(.idle))
    }

    @Test func `if no activity is known, the person is warned at once, and stays signed in if they act`() {
        var sessionTimer = resumed(idle: 900)
        #expect(sessionTimer.due(at: .seconds(2000), wall: 0) == .warning(seconds: 60))
        var gone = sessionTimer
        #expect(gone.due(at: .seconds(2060), wall: 0) == .end(.idle))
        sessionTimer.activity(at: .seconds(2059))
        #expect(sessionTimer.due(at: .seconds(2898), wall: 0) == nil)
        #expect(sessionTimer.due(at: .seconds(2899), wall: 0) == .warning(seconds: 60))
        #expect(sessionTimer.due(at: .seconds(2959), wall: 0) == .end(.idle))
    }

    @Test func `new timeouts apply at once, from the session's start, and end no idle time without a warning`() {
        var sessionTimer = sessionTimer(idle: 900)
        #expect(sessionTimer.due(at: .seconds(1845), wall: 0) == .warning(seconds: 55))
        let short = SessionTimeouts(idle: 300, idleWarning: 60, shiftLength: 2000, shiftEnds: [])
        sessionTimer.follow(short, at: .seconds(1850))
        #expect(sessionTimer.due(at: .seconds(1850), wall: 0) == .warning(seconds: 60))
        // Applying the same rules again has no effect.
        sessionTimer.follow(short, at: .seconds(1900))
        #expect(sessionTimer.due(at: .seconds(1910), wall: 0) == .end(.idle))
        sessionTimer.activity(at: .seconds(1905))
        #expect(sessionTimer.due(at: .seconds(2999), wall: 0) == .end(.idle))
        #expect(sessionTimer.due(at: .seconds(3000), wall: 0) == .end(.shiftEnd))
    }
}
