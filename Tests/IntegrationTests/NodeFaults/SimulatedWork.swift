// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import OAuth
import Synchronization
import Testing

/// What a simulated device and its worker do all day, one request after the other.
struct SimulatedWork: Sendable {
    let device: SimulatedDevice
    var random: SeededGenerator
    /// Sessions whose end the device has not been able to report yet.
    private var unreported: [SimulatedSession] = []

    private var checker: FaultChecker { device.checker }

    init(_ device: SimulatedDevice, random: SeededGenerator) { (self.device, self.random) = (device, random) }

    /// Works until faults are over, then finishes what was begun: reports ends, and asks for commands.
    mutating func run() async throws {
        while !checker.isOver {
            // The pause of a worker between two requests.
            try await Task.sleep(for: random.duration(500...3500))
            await step()
        }
        // Every device must end in the server's state soon after the last fault.
        let deadline = ContinuousClock.now + .seconds(60)
        while await !isSettled() {
            guard ContinuousClock.now < deadline else {
                return checker.history { $0.broke(Violation(.convergence, "\(device.name) does not settle")) }
            }
            try await Task.sleep(for: random.duration(500...1000))
        }
        await finish()
    }

    private mutating func step() async {
        if let session = unreported.first { return await report(session) }
        let isNudged = device.seen.withLock { seen in
            defer { seen.isNudged = false }
            return seen.isNudged
        }
        let session = device.seen.withLock(\.session)
        if isNudged {
            await checkIn()
            if let session { await status(of: session) }
            return
        }
        guard let session else { return await signIn() }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: await fetch(session)
        case 25..<55: await refresh(session)
        case 55..<60: await replay(session)
        case 60..<75: await graph(session)
        case 75..<83: await status(of: session)
        case 83..<93: await checkIn()
        default: await end(session)
        }
    }

    /// Whether the device has nothing to report and nothing to fetch, holds a push channel, and is in the server's state.
    private mutating func isSettled() async -> Bool {
        for session in unreported { await report(session) }
        var isSettled = await checkIn(losesAnswers: false).isDone && unreported.isEmpty
        if let session = device.seen.withLock(\.session) {
            isSettled = await !status(of: session).isUnknown && isSettled
        }
        let hasResult = device.management.log.withLock { $0.last?.isDelivered == false }
        let (session, node) = device.seen.withLock { ($0.session, $0.pushNode) }
        let isOver = session.map { session in checker.history { $0.sessions[session.id]?.phase.isOver ?? true } }
        return isSettled && !hasResult && node != nil && isOver != true
    }

    /// Uses once more what the device holds. The newest refresh token must work; older refresh tokens, and those of
    /// ended sessions, must not.
    private mutating func finish() async {
        let (session, former) = device.seen.withLock { ($0.session, $0.former) }
        if let session {
            await refresh(session)
            await replay(session)
        }
        for session in former { await SessionProbe(device: device, session: session).run() }
    }

    // MARK: - Requests

    /// Makes a request, counts it, and compares the answer with what is known of the session.
    private func attempt<Value>(
        _ operation: FaultOperation, of session: SimulatedSession?, _ body: () async throws -> Value
    ) async -> Outcome<Value> {
        let began = ContinuousClock.now
        let outcome = await Outcome(catching: body)
        checker.count(operation, outcome, of: device.name, began: began)
        guard let session else { return outcome }
        let isLive = checker.history { history in
            // The chain of refresh tokens judges refusals of refresh tokens.
            if ![.refresh, .repetition, .replay].contains(operation) || outcome.isDone {
                history.answered(outcome, for: session.id, asked: operation.rawValue, began: began)
            }
            return history.isLive(session.id)
        }
        // The device learns here that its session is over.
        if outcome.isRefused, !isLive { drop(session) }
        return outcome
    }

    private func drop(_ session: SimulatedSession) {
        device.seen.withLock { seen in
            guard seen.session === session else { return }
            seen.session = nil
            seen.former = seen.former.suffix(2) + [session]
        }
    }

    private func signIn() async {
        let outcome = await attempt(.signIn, of: nil) { try await device.signIn() }
        switch outcome {
        case .done(let session):
            checker.history { $0.began(session.id, on: device.name) }
            device.seen.withLock { $0.session = session }
        case .refused(let reason):
            // Each step of a sign-in uses what the server acknowledged in the step before, so none may be refused.
            checker.history { $0.broke(Violation(.keptWrite, "\(device.name): the sign-in was refused: \(reason)")) }
        case .unknown: break
        }
    }

    private func fetch(_ session: SimulatedSession) async {
        let requests = device.requests(session)
        guard let tokens = await attempt(.appTokens, of: session, requests.fetch).value else { return }
        let violation = session.tokens.withLock { held in
            held.access = tokens.access
            guard held.chain != nil else {
                held.chain = RefreshChain(tokens.refresh)
                return nil as Violation?
            }
            return held.chain?.fetched(tokens.refresh)
        }
        checker.history { $0.broke(violation) }
    }

    private mutating func refresh(_ session: SimulatedSession) async {
        guard let token = session.tokens.withLock({ $0.chain?.newest }) else { return await fetch(session) }
        let requests = device.requests(session)
        let began = ContinuousClock.now
        let outcome = await attempt(.refresh, of: session) { try await requests.refresh(token) }
        judge(session) { $0.used(outcome, sessionIsLive: $1) }
        if outcome.isRefused { giveUpChain(session) }
        // Some clients lose the answer, and ask again.
        guard outcome.isDone, Int.random(in: 0..<4, using: &random) == 0 else { return }
        let repeated = await attempt(.repetition, of: session) { try await requests.refresh(token) }
        let isInTime = ContinuousClock.now - began < .seconds(10)
        judge(session) { $0.repeated(repeated, isInTime: isInTime, sessionIsLive: $1) }
        if repeated.isRefused { giveUpChain(session) }
    }

    /// Uses an old refresh token. The server then revokes the newest one, too.
    private func replay(_ session: SimulatedSession) async {
        guard let token = session.tokens.withLock({ $0.chain?.replayable }),
            let newest = session.tokens.withLock({ $0.chain?.newest })
        else { return }
        let requests = device.requests(session)
        let outcome = await attempt(.replay, of: session) { try await requests.refresh(token) }
        judge(session) { chain, _ in chain.replayed(outcome) }
        guard outcome.isRefused else { return }
        let next = await attempt(.replay, of: session) { try await requests.refresh(newest) }
        judge(session) { $0.used(next, sessionIsLive: $1) }
        // The chain need not be given up here: it has recorded that it is revoked, and the PRT yields new tokens.
    }

    private func judge(_ session: SimulatedSession, _ body: (inout RefreshChain, Bool) -> Violation?) {
        checker.history { history in
            let isLive = history.isLive(session.id)
            let violation = session.tokens.withLock { held -> Violation? in
                guard var chain = held.chain else { return nil }
                defer { held.chain = chain }
                return body(&chain, isLive)
            }
            history.broke(violation)
        }
    }

    private func giveUpChain(_ session: SimulatedSession) {
        let wasLost = session.tokens.withLock { held in
            defer { held.chain = nil }
            return held.chain?.isDoubtful == true
        }
        if wasLost, checker.history({ $0.isLive(session.id) }) { checker.noteLostChain() }
    }

    private func graph(_ session: SimulatedSession) async {
        guard let access = session.tokens.withLock(\.access) else { return await fetch(session) }
        let requests = device.requests(session)
        _ = await attempt(.graph, of: session) { try await requests.graph(access) }
    }

    @discardableResult
    private func status(of session: SimulatedSession) async -> Outcome<Void> {
        let requests = device.requests(session)
        return await attempt(.status, of: session, requests.status)
    }

    private mutating func end(_ session: SimulatedSession) async {
        drop(session)
        checker.history { $0.willEnd(session.id) }
        session.isReported.withLock { $0 = true }
        unreported.append(session)
        await report(session)
    }

    private mutating func report(_ session: SimulatedSession) async {
        let requests = device.requests(session)
        // The server must not refuse this: the session counts as ended only after the acknowledgement.
        let outcome = await attempt(.endSession, of: nil, requests.end)
        if case .refused(let reason) = outcome {
            checker.history { $0.broke(Violation(.keptWrite, "\(device.name): the end was refused: \(reason)")) }
        }
        guard outcome.isDone else { return }
        let now = ContinuousClock.now
        checker.history { $0.ended(session.id, at: now) }
        unreported.removeAll { $0 === session }
        if Int.random(in: 0..<3, using: &random) == 0 { await SessionProbe(device: device, session: session).run() }
    }

    /// - Parameter losesAnswers: whether some answers do not reach the device.
    @discardableResult
    private mutating func checkIn(losesAnswers: Bool = true) async -> Outcome<Void> {
        // Sometimes one of the first two answers is lost. These answers contain commands or acknowledge a result.
        let isLost = losesAnswers && Int.random(in: 0..<4, using: &random) == 0
        let lost = isLost ? Int.random(in: 0..<2, using: &random) : nil
        let (management, checker) = (device.management, checker)
        let outcome = await attempt(.checkIn, of: nil) {
            try await management.work(losing: lost) { violation in checker.history { $0.broke(violation) } }
        }
        if case .refused(let reason) = outcome {
            checker.history { $0.broke(Violation(.keptWrite, "\(device.name) is no longer enrolled: \(reason)")) }
        }
        return outcome
    }
}

extension FaultHistory.Phase {
    /// Whether the end was acknowledged.
    var isOver: Bool { if case .ended = self { true } else { false } }
}

/// Uses every credential of a session at each node after the acknowledgement of the session's end.
struct SessionProbe: Sendable {
    let device: SimulatedDevice
    let session: SimulatedSession

    func run() async {
        await withTaskGroup { group in
            for node in 0..<FaultCluster.nodeCount { group.addTask { await probe(node) } }
        }
    }

    private func probe(_ node: Int) async {
        guard let client = try? device.cluster.client(onlyTo: node, readTimeout: .seconds(5)) else { return }
        var signer = device.signer
        signer.server = .init(https: client, loginURL: device.cluster.loginURL, tenant: device.cluster.tenant)
        let requests = SessionRequests(cluster: device.cluster, device: signer, session: session)
        let held = session.tokens.withLock { $0 }
        await check("the PRT") { _ = try await requests.fetch() }
        await check("the status", requests.status)
        if let access = held.access { await check("the access token") { try await requests.graph(access) } }
        if let token = held.chain?.newest { await check("the refresh token") { _ = try await requests.refresh(token) } }
        await client.shutdown()
    }

    private func check(_ what: String, _ body: () async throws -> Void) async {
        let began = ContinuousClock.now
        let outcome = await Outcome(catching: body)
        // The node may be dead, so this does not count as an outage of the device.
        device.checker.count(.probe, outcome, of: "probe of \(session.id) \(what) \(began)", began: .now)
        device.checker.history { $0.answered(outcome, for: session.id, asked: what, began: began) }
    }
}
