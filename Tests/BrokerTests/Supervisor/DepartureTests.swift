// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceKeyStore
import DeviceSettings
import Files
import MDMClient
import Processes
import TestSupport
import Testing

/// How a device leaves its directory and how it is reset.
@Suite(.timeLimit(.minutes(10))) struct DepartureTests {
    private func files(_ scratch: Scratch) -> DeviceFiles { DeviceFiles(root: Directory(path: scratch.path("device"))) }

    @Test func `a device that leaves signs its worker out first, and erases only the join`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                let id = try await fixture.signIn(through: agent)
                let epoch = try await fixture.epoch()
                let answer = Promise<OperatorReply>()
                fixture.inputs.post(.operatorAsked(.leave) { answer.settle(.success($0)) })
                // The order is on disk before anything else is done.
                #expect(try await fixture.status().session == "signingOut")
                #expect(try files(scratch).departure()?.stage == .ordered)
                #expect(try files(scratch).join() != nil)
                agent.say(.closed(epoch: id))
                // There is no directory to notify.
                #expect(try await answer.value() == .left(deviceID: "d", isDirectoryTold: false))
                #expect(try files(scratch).departure()?.stage == .erasing)
                let last = try #require(fixture.statements.last)
                #expect(try files(scratch).journal() == .ready(last.epoch))
                #expect(last.epoch.counter == epoch.counter + 1)
            }
            #expect(try DepartureEraser(files: files(scratch)).run()?.kind == .leave)
            #expect(try files(scratch).join() == nil)
            #expect(try files(scratch).departure() == nil)
            let names = try files(scratch).root.names()
            #expect(names.contains("receipts") && names.contains("journal"))
            #expect(try files(scratch).endedSessions().isEmpty)
            try await SupervisorFixture.with(scratch, isJoined: false) { fixture in
                let status = try await fixture.status()
                #expect(status.deviceID == nil && status.reason == "not_joined")
                guard case .failed(let refusal) = try await fixture.ask(.leave) else { throw TestProblem("left") }
                #expect(refusal.code == "not_joined")
            }
        }
    }

    @Test func `a reset keeps the epoch's number, the locks and who must erase, and nothing else`() async throws {
        try await Scratch.with { scratch in
            let ended = Epoch(id: .random(), counter: 1)
            try await SupervisorFixture.with(scratch) { fixture in
                try files(scratch).write(locks: ["org.example.app": ended])
                let record = files(scratch).root.file("app-processes.json")
                if try record.read() == nil { try record.replace(with: Array("{}".utf8)) }
                try files(scratch).root.appending("quarantine").make()
                try files(scratch).management.make()
                #expect(try await fixture.ask(.reset) == .left(deviceID: "d", isDirectoryTold: false))
            }
            let journal = try files(scratch).journal()
            #expect(try DepartureEraser(files: files(scratch)).run()?.kind == .reset)
            #expect(
                try files(scratch).root.names() == [
                    "app-locks.json", "app-processes.json", "format", "journal", "keys", "session", "trash",
                ])
            #expect(try files(scratch).keys.names().isEmpty)
            #expect(try files(scratch).session.names().isEmpty)
            #expect(try files(scratch).journal() == journal)
            #expect(try files(scratch).locks() == ["org.example.app": ended])
            // A broker accepts the state.
            #expect(
                try DeviceCheck(state: files(scratch).root, machine: scratch.path("none")).reasonToQuarantine() == nil)
        }
    }

    @Test func `an order that a crash interrupted is carried out at the next start, and no join begins meanwhile`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let status = try await fixture.status()
                #expect(status.deviceID == "d")
            }
            try files(scratch).write(Departure(kind: .leave, stage: .ordered, deviceID: "d"))
            // The worker has not left the device yet.
            #expect(try DepartureEraser(files: files(scratch)).run() == nil)
            try await SupervisorFixture.with(scratch) { fixture in
                let order = JoinOrder(loginURL: "l", registrationURL: "r", tenant: "t", deviceName: "n")
                guard case .failed(let refusal)? = try? await fixture.ask(.join(order)) else { return }
                #expect(refusal.code == "device_leaving")
            }
            while try files(scratch).departure()?.stage != .erasing {
                try await SupervisorFixture.with(scratch) { fixture in _ = try? await fixture.status() }
            }
            #expect(try files(scratch).join() != nil)
            #expect(try DepartureEraser(files: files(scratch)).run() != nil)
            #expect(try DepartureEraser(files: files(scratch)).run() == nil)
            #expect(try files(scratch).join() == nil)
        }
    }
}

/// In every condition of the device, the rules for operators' commands allow a way back to a working device.
@Suite struct DeviceConditionExploration {
    /// The device, and what its server has recorded about it.
    struct Situation: Hashable {
        enum Registration: CaseIterable { case good, disabled, removed, otherTenant }

        var device: DeviceCondition
        var registration: Registration
        var isSessionOpen: Bool
        var isServerThere: Bool

        var isWorking: Bool {
            device.quarantine == nil && device.isJoined && device.isEnrolled && device.departure == nil
                && registration == .good && isServerThere
        }
        /// Whether the device is not registered and can begin again.
        var isFree: Bool {
            device.quarantine == nil && !device.isJoined && device.departure == nil && !isSessionOpen
        }
    }

    /// An action of an operator or administrator, or an event that happens by itself.
    enum Step: CaseIterable {
        case enroll, unenroll, join, leave, reset, recover, finishLeaving, enable, update, serverComes

        var command: DeviceCondition.Command? {
            switch self {
            case .enroll: .enroll
            case .unenroll: .unenroll
            case .join: .join
            case .leave: .leave
            case .reset: .reset
            case .recover: .recover
            case .finishLeaving, .enable, .update, .serverComes: nil
            }
        }
    }

    private static let situations: [Situation] = {
        var situations: [Situation] = []
        let quarantines: [DeviceCondition.Quarantine?] = [nil] + DeviceCondition.Quarantine.allCases
        for quarantine in quarantines {
            for departure in [Departure.Kind?.none, .leave, .reset] where quarantine == nil || departure == nil {
                for bits in 0..<16 {
                    for registration in Situation.Registration.allCases where bits & 1 == 1 || registration == .good {
                        situations.append(
                            Situation(
                                device: DeviceCondition(
                                    quarantine: quarantine, isJoined: bits & 1 == 1, isEnrolled: bits & 2 == 2,
                                    departure: departure),
                                registration: registration, isSessionOpen: bits & 4 == 4, isServerThere: bits & 8 == 8))
                    }
                }
            }
        }
        return situations
    }()

    /// The situation after a step; nil if the step is refused or has no meaning.
    private func after(_ step: Step, in situation: Situation) -> Situation? {
        var next = situation
        if let command = step.command {
            guard situation.device.refusal(of: command) == nil else { return nil }
        } else if situation.device.quarantine != nil, step == .finishLeaving {
            return nil
        }
        switch step {
        case .enroll:
            guard situation.isServerThere else { return nil }
            next.device.isEnrolled = true
        case .unenroll:
            next.device.isEnrolled = false
            next.isSessionOpen = false
        case .join:
            guard situation.isServerThere, !situation.isSessionOpen else { return nil }
            next.device.isJoined = true
            next.registration = .good
        case .leave: next.device.departure = situation.device.departure ?? .leave
        case .reset:
            next.device.quarantine = nil
            next.device.departure = .reset
        case .recover:
            next.device.quarantine = nil
            next.device.isJoined = false
            next.isSessionOpen = false
        case .finishLeaving:
            guard let kind = situation.device.departure else { return nil }
            next.device.departure = nil
            next.device.isJoined = false
            next.isSessionOpen = false
            next.registration = .good
            if kind == .reset { next.device.isEnrolled = false }
        case .enable:
            guard situation.isServerThere, situation.registration == .disabled else { return nil }
            next.registration = .good
        case .update:
            guard situation.device.quarantine == .newerFormat else { return nil }
            next.device.quarantine = nil
        case .serverComes: next.isServerThere = true
        }
        return next == situation ? nil : next
    }

    /// Returns the shortest path from `situation` to a situation for which `holds` is true; nil if there is no path.
    private func path(from situation: Situation, by steps: [Step], to holds: (Situation) -> Bool) -> [Step]? {
        var seen: Set<Situation> = [situation]
        var edge: [(Situation, [Step])] = [(situation, [])]
        while !edge.isEmpty {
            if let found = edge.first(where: { holds($0.0) }) { return found.1 }
            edge = edge.flatMap { situation, path in
                steps.compactMap { step in
                    guard let next = after(step, in: situation), seen.insert(next).inserted else { return nil }
                    return (next, path + [step])
                }
            }
        }
        return nil
    }

    @Test func `every condition of the device allows a way back to a working device`() {
        #expect(Self.situations.count > 100)
        for situation in Self.situations {
            #expect(path(from: situation, by: Step.allCases, to: \.isWorking) != nil, "\(situation)")
        }
    }

    @Test func `without its server every device can return to being unregistered`() {
        let offline = Step.allCases.filter { $0 != .serverComes && $0 != .enable }
        for situation in Self.situations where !situation.isServerThere {
            #expect(path(from: situation, by: offline, to: \.isFree) != nil, "\(situation)")
        }
    }

    @Test func `if a registration is unusable, leaving and joining again is enough`() {
        let steps: [Step] = [.leave, .finishLeaving, .join]
        for situation in Self.situations
        where situation.device == DeviceCondition(quarantine: nil, isJoined: true, isEnrolled: true, departure: nil)
            && situation.isServerThere && situation.registration != .good
        {
            #expect(path(from: situation, by: steps, to: \.isWorking) == steps, "\(situation)")
        }
    }

    @Test func `on a device that is leaving nothing else can begin, but a reset can replace the leaving`() {
        let leaving = DeviceCondition(quarantine: nil, isJoined: true, isEnrolled: true, departure: .leave)
        for command in [DeviceCondition.Command.join, .enroll, .unenroll] {
            #expect(leaving.refusal(of: command)?.code == "device_leaving")
        }
        #expect(leaving.refusal(of: .reset) == nil && leaving.refusal(of: .leave) == nil)
    }

    @Test func `the remedies of refusals name commands that are not refused`() {
        for situation in Self.situations where situation.device.quarantine == nil && situation.device.departure == nil {
            if let refusal = situation.device.refusal(of: .join) {
                #expect(refusal.remedy.contains("baton device leave") && situation.device.refusal(of: .leave) == nil)
            }
            if let refusal = situation.device.refusal(of: .leave) {
                #expect(refusal.remedy.contains("baton device join") && situation.device.refusal(of: .join) == nil)
            }
        }
    }
}
