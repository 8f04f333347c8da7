// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Foundation
import Synchronization

/// Administrators who revoke sessions, queue commands and change the directory, each at any node.
struct FaultAdministrators: Sendable {
    let cluster: FaultCluster
    let checker: FaultChecker
    let devices: [SimulatedDevice]

    /// Works until the faults are over. It ends before the devices do, so that they get every command.
    ///
    /// - Parameter number: only the administrator 0 changes the colour of the sign-in page.
    func run(number: Int, _ random: SeededGenerator) async throws {
        var random = random
        var count = 0
        while !checker.isClosing {
            try await Task.sleep(for: random.duration(400...1600))
            guard !checker.isQuiet else { continue }
            count += 1
            guard let device = devices.randomElement(using: &random) else { return }
            let node = Int.random(in: 0..<FaultCluster.nodeCount, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3: await revoke(at: node, device)
            case 3..<7: await queue("org.baton.test.n\(number).\(count)", for: device, at: node)
            case 7: await make(group: "group-\(number)-\(count)", at: node)
            default: if number == 0 { await paint(at: node, &random) }
            }
        }
    }

    private func call(
        _ operation: FaultOperation, _ method: String, _ path: String, _ body: String = "", at node: Int
    ) async -> Outcome<String> {
        let began = ContinuousClock.now
        let outcome = await cluster.administer(method, path, body, at: node)
        // An administration socket belongs to one node, so an administrator's call is not repeated at another one.
        checker.count(operation, outcome, of: "administrator \(UInt64.random(in: 0...UInt64.max))", began: began)
        return outcome
    }

    /// Revokes a device's session at a node; afterwards, no node may serve it.
    ///
    /// - Returns: the moments of the request and of its acknowledgement; nil if there is no session or no
    ///   acknowledgement.
    @discardableResult
    func revoke(at node: Int, _ device: SimulatedDevice) async -> (ContinuousClock.Instant, ContinuousClock.Instant)? {
        guard let session = device.seen.withLock(\.session) else { return nil }
        checker.history { $0.willEnd(session.id) }
        let began = ContinuousClock.now
        let path = IdentityAdmin.revokeSession(["tenant": cluster.tenant, "session": session.id]).path
        let outcome = await call(.revocation, "DELETE", path, at: node)
        let ended = ContinuousClock.now
        guard outcome.isDone else { return nil }
        checker.history { $0.ended(session.id, at: ended) }
        await SessionProbe(device: device, session: session).run()
        return (began, ended)
    }

    private func queue(_ subject: String, for device: SimulatedDevice, at node: Int) async {
        let path = MDMAdmin.uninstallProfile(
            ["tenant": cluster.tenant, "device": device.name, "profile": subject]
        ).path
        let answer = await call(.command, "DELETE", path, at: node)
        let made = answer.value.flatMap { try? JSONDecoder().decode(MDMAdmin.Command.self, from: Data($0.utf8)) }
        let outcome: Outcome<String> =
            switch answer {
            case .done: made.map { Outcome.done($0.uuid) } ?? .unknown("no command in the answer")
            case .refused(let reason): .refused(reason)
            case .unknown(let reason): .unknown(reason)
            }
        checker.history { history in
            history.queued(subject, for: device.name, outcome)
            if case .refused(let reason) = outcome {
                history.broke(Violation(.keptWrite, "\(device.name) is not managed: \(reason)"))
            }
        }
    }

    private func make(group: String, at node: Int) async {
        let body = String(
            decoding: (try? JSONEncoder().encode(
                IdentityAdmin.NewGroup(displayName: group, mailNickname: nil, description: nil))) ?? Data(),
            as: UTF8.self)
        let path = IdentityAdmin.addGroup.operation.path(["tenant": cluster.tenant])
        let outcome = await call(.directory, "POST", path, body, at: node)
        checker.history { $0.made(group: group, outcome.withoutValue) }
    }

    /// Sets the colour of the sign-in page at a node, and reads it at another one.
    private func paint(at node: Int, _ random: inout SeededGenerator) async {
        let path = IdentityAdmin.setBranding.operation.path(["tenant": cluster.tenant])
        let number = UInt32.random(in: 0..<0x3f3f3f, using: &random)
        let colour =
            "#" + String(repeating: "0", count: 6 - String(number, radix: 16).count) + String(number, radix: 16)
        checker.history { $0.willSet(colour: colour) }
        let outcome = await call(.directory, "PUT", path, "{\"colour\":\"\(colour)\"}", at: node)
        checker.history { $0.set(colour: colour, outcome.withoutValue) }
        await readColour(at: (node + 1) % FaultCluster.nodeCount)
    }

    private func readColour(at node: Int) async {
        let path = IdentityAdmin.getBranding(["tenant": cluster.tenant]).path
        guard let body = await cluster.administer("GET", path, at: node).value,
            let branding = try? JSONDecoder().decode(IdentityAdmin.Branding.self, from: Data(body.utf8))
        else { return }
        checker.history { $0.read(colour: branding.colour) }
    }

    // MARK: - Measurement

    /// Revokes sessions of devices whose push channels other nodes hold, and measures when the devices are nudged.
    func measure(_ count: Int) async throws {
        for device in devices.shuffled().prefix(count) {
            let (held, node) = device.seen.withLock { ($0.session, $0.pushNode) }
            guard let session = held, let holder = node else { continue }
            let other = (holder + 1) % FaultCluster.nodeCount
            async let pushedAt = nextNudge(of: device)
            guard let (began, ended) = await revoke(at: other, device) else {
                if session.isReported.withLock(\.self) { continue }
                checker.history { $0.broke(Violation(.budget, "without a fault, a revocation failed")) }
                continue
            }
            let pushed = await pushedAt
            if session.isReported.withLock(\.self) { continue }
            guard let moment = pushed else {
                checker.history { $0.broke(Violation(.budget, "\(device.name) was not nudged within 10 s")) }
                continue
            }
            checker.notePush(after: max(.zero, moment - ended), sinceRequest: moment - began)
        }
    }

    /// Waits for the next nudge of a device, for ten seconds.
    private func nextNudge(of device: SimulatedDevice) async -> ContinuousClock.Instant? {
        let began = ContinuousClock.now
        return await withTaskGroup(of: ContinuousClock.Instant?.self) { group in
            group.addTask {
                for await moment in device.nudges where moment >= began { return moment }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(10))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    // MARK: - The end

    /// Reads everything back and compares it with what was acknowledged.
    func readBack() async throws {
        for node in 0..<FaultCluster.nodeCount {
            let sessions: [IdentityAdmin.Session] = try await cluster.read(
                IdentityAdmin.listSessions(["tenant": cluster.tenant]).path, at: node)
            checker.history { $0.compareSessions(Set(sessions.map(\.id))) }
            let groups: [IdentityAdmin.Group] = try await cluster.read(
                IdentityAdmin.listGroups(["tenant": cluster.tenant]).path, at: node)
            checker.history { $0.compareGroups(groups.map(\.displayName)) }
            await readColour(at: node)
        }
        for (index, device) in devices.enumerated() {
            let commands: [MDMAdmin.Command] = try await cluster.read(
                MDMAdmin.listCommands(["tenant": cluster.tenant, "device": device.name]).path,
                at: index % FaultCluster.nodeCount)
            let listed = commands.map { FaultHistory.Listed(uuid: $0.uuid, subject: $0.subject, state: $0.state) }
            let carriedOut = device.management.log.withLock(\.carriedOut)
            checker.history { $0.compareCommands(listed, of: device.name, carriedOut: carriedOut) }
        }
    }
}

extension Outcome where Value == String {
    fileprivate var withoutValue: Outcome<Void> {
        switch self {
        case .done: .done(())
        case .refused(let reason): .refused(reason)
        case .unknown(let reason): .unknown(reason)
        }
    }
}
