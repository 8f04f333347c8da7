// SPDX-License-Identifier: Apache-2.0
import BrokerSession
import Testing

@Suite struct RenewalScheduleTests {
    private let day = 86400

    @Test func `a token is renewed after four hours or half of its lifetime, whichever is earlier`() {
        #expect(RenewalSchedule(given: 1000, lifetime: 14 * day).due == 1000 + 4 * 3600)
        #expect(RenewalSchedule(given: 1000, lifetime: 2 * 3600).due == 1000 + 3600)
        #expect(RenewalSchedule(given: 1000, lifetime: -5).due == 1000)
    }

    @Test func `no pause is longer than an hour, and a clock that was set back delays no renewal`() {
        let schedule = RenewalSchedule(given: 100_000, lifetime: 14 * day)
        #expect(schedule.pause(at: 100_000) == 3600)
        #expect(schedule.pause(at: 100_000 + 4 * 3600 - 60) == 60)
        #expect(schedule.pause(at: 100_000 + 4 * 3600) == 0)
        #expect(schedule.pause(at: 900_000_000) == 0)
        #expect(schedule.pause(at: 0) == 3600)
    }
}
