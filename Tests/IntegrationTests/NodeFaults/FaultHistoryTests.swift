// SPDX-License-Identifier: Apache-2.0
import Testing

/// The checker of ``NodeFaultTests`` notices each broken promise, and nothing else.
@Suite struct FaultHistoryTests {
    private let now = ContinuousClock.now

    private func rules(_ body: (inout FaultHistory) -> Void) -> [FaultRule] {
        var history = FaultHistory()
        body(&history)
        return history.violations.map(\.rule)
    }

    private func answered(_ outcome: Outcome<Void>, _ session: String, began: ContinuousClock.Instant)
        -> (inout FaultHistory) -> Void
    { { $0.answered(outcome, for: session, asked: "it", began: began) } }

    @Test func `a session is served until its end is acknowledged, and not afterwards`() {
        let found = rules { history in
            history.began("s", on: "d")
            answered(.done(()), "s", began: now)(&history)
            history.willEnd("s")
            // Both answers are possible while nobody knows about the end.
            answered(.done(()), "s", began: now)(&history)
            answered(.refused("ended"), "s", began: now)(&history)
            history.ended("s", at: now + .seconds(1))
            answered(.done(()), "s", began: now)(&history)
            answered(.refused("ended"), "s", began: now + .seconds(2))(&history)
            history.compareSessions([])
        }
        #expect(found.isEmpty)
        let late = rules { history in
            history.began("s", on: "d")
            history.ended("s", at: now)
            answered(.done(()), "s", began: now + .milliseconds(1))(&history)
            history.compareSessions(["s"])
        }
        #expect(late == [.noRevokedSession, .noRevokedSession])
    }

    @Test func `a session that has not ended is not refused and not missing`() {
        let found = rules { history in
            history.began("s", on: "d")
            answered(.unknown("no answer"), "s", began: now)(&history)
            answered(.refused("unknown"), "s", began: now)(&history)
            history.compareSessions([])
        }
        #expect(found == [.keptWrite, .keptWrite])
    }

    @Test func `each use of a refresh token yields another one, which works`() {
        var chain = RefreshChain("1")
        #expect(chain.used(.done("2"), sessionIsLive: true) == nil)
        #expect(chain.repeated(.done("2"), isInTime: true, sessionIsLive: true) == nil)
        #expect(chain.used(.done("3"), sessionIsLive: true) == nil)
        #expect(chain.replayable == "1" && chain.newest == "3")
        #expect(chain.fetched("3") == nil)

        var again = chain
        #expect(again.replayed(.done("2"))?.rule == .oneUse)
        again = chain
        #expect(again.used(.done("3"), sessionIsLive: true)?.rule == .oneUse)
        again = chain
        #expect(again.repeated(.done("4"), isInTime: true, sessionIsLive: true)?.rule == .oneUse)
        again = chain
        #expect(again.fetched("2")?.rule == .oneUse)
        again = chain
        #expect(again.used(.refused("used"), sessionIsLive: true)?.rule == .keptWrite)
        #expect(again.used(.refused("ended"), sessionIsLive: false) == nil)
        #expect(again.repeated(.refused("used"), isInTime: true, sessionIsLive: true)?.rule == .keptWrite)
        again = chain
        #expect(again.fetched("4")?.rule == .keptWrite)
    }

    @Test func `a replay revokes the newest token`() {
        var chain = RefreshChain("1")
        for next in ["2", "3"] { #expect(chain.used(.done(next), sessionIsLive: true) == nil) }
        #expect(chain.replayed(.refused("used")) == nil)
        #expect(chain.used(.refused("revoked"), sessionIsLive: true) == nil)
        var accepted = chain
        #expect(accepted.used(.done("4"), sessionIsLive: true)?.rule == .oneUse)
        var same = chain
        #expect(same.fetched("3")?.rule == .oneUse)
        #expect(chain.fetched("4") == nil && chain.newest == "4")
        #expect(chain.used(.refused("revoked"), sessionIsLive: true)?.rule == .keptWrite)
    }

    /// A request without an answer may be carried out later. In that case, the server must treat the next use as a
    /// replay.
    @Test func `after a lost answer a refresh token may be refused, but works at most once`() {
        var chain = RefreshChain("1")
        #expect(chain.used(.unknown("no answer"), sessionIsLive: true) == nil)
        var refused = chain
        #expect(refused.used(.refused("used"), sessionIsLive: true) == nil)
        #expect(chain.fetched("2") == nil && chain.isDoubtful)
        #expect(chain.used(.done("3"), sessionIsLive: true) == nil)
        #expect(chain.used(.done("2"), sessionIsLive: true)?.rule == .oneUse)
    }

    @Test func `a command is repeated only until its result has arrived`() {
        var log = CommandLog()
        #expect(log.take("a") == nil)
        #expect(log.take("a") == nil)
        log.delivered()
        #expect(log.take("b") == nil)
        #expect(log.take("a")?.rule == .oneCommand)
        var other = CommandLog()
        #expect(other.take("a") == nil)
        other.delivered()
        #expect(other.take("a")?.rule == .oneCommand)
    }

    @Test func `every queued command is in the queue once and was carried out once`() {
        func found(_ listed: [(String, String?, String)], carriedOut: Set<String>) -> Set<FaultRule> {
            Set(
                rules { history in
                    history.queued("one", for: "d", .done("a"))
                    history.queued("two", for: "d", .unknown("no answer"))
                    history.queued("three", for: "d", .refused("full"))
                    history.queued("four", for: "other", .done("z"))
                    history.compareCommands(
                        listed.map { .init(uuid: $0.0, subject: $0.1, state: $0.2) }, of: "d", carriedOut: carriedOut)
                })
        }
        let good: [(String, String?, String)] = [("a", "one", "acknowledged"), ("i", nil, "acknowledged")]
        #expect(found(good, carriedOut: ["a", "i"]).isEmpty)
        #expect(found(good + [("b", "two", "acknowledged")], carriedOut: ["a", "b", "i"]).isEmpty)
        #expect(found([good[1]], carriedOut: ["a", "i"]).contains(.keptWrite))
        #expect(found(good, carriedOut: ["i"]) == [.oneCommand])
        #expect(found(good + [("b", "one", "acknowledged")], carriedOut: ["a", "b", "i"]).contains(.oneCommand))
        #expect(
            found(
                good + [("b", "two", "acknowledged"), ("c", "two", "acknowledged")], carriedOut: ["a", "b", "c", "i"])
                == [.oneCommand])
        #expect(found([("a", "one", "sent"), good[1]], carriedOut: ["a", "i"]) == [.convergence])
        #expect(found(good, carriedOut: ["a", "i", "x"]) == [.keptWrite])
    }

    @Test func `a group that was made exists once, and the colour is one that was written`() {
        #expect(
            rules { history in
                history.made(group: "a", .done(()))
                history.made(group: "b", .unknown("no answer"))
                history.made(group: "c", .refused("no"))
                history.compareGroups(["a", "b"])
                history.compareGroups(["a"])
                history.compareGroups(["b", "b"])
            } == [.keptWrite, .keptWrite])
        #expect(
            rules { history in
                history.willSet(colour: "1")
                history.set(colour: "1", .done(()))
                history.willSet(colour: "2")
                history.set(colour: "2", .unknown("no answer"))
                for colour in ["1", "2"] { history.read(colour: colour) }
                history.willSet(colour: "3")
                history.set(colour: "3", .done(()))
                // The write without an answer may take effect at any time.
                for colour in ["3", "2"] { history.read(colour: colour) }
            }.isEmpty)
        #expect(
            rules { history in
                for colour in ["1", "2"] {
                    history.willSet(colour: colour)
                    history.set(colour: colour, .done(()))
                }
                for colour in ["1", nil] { history.read(colour: colour) }
            } == [.keptWrite, .keptWrite])
    }
}
