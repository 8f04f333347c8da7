// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Processes

/// Runs the checks of `baton doctor` from time to time while nobody is signed in and a home screen is connected, and
/// keeps the code of the first fault that an administrator has to repair. Used only on the supervisor's thread.
final class RegularExamination {
    /// The minimum delay before an examination, so that an agent can connect and the push channel can open.
    private static let settling = Duration.seconds(5)
    /// The time between two examinations: while there is no fault, and while there is a fault.
    private static let (interval, intervalOfFault) = (Duration.seconds(15 * 60), Duration.seconds(60))

    /// The code of the first fault; nil if there is none, or if nothing has been checked yet.
    private(set) var fault: String?
    private let timer: InputTimer
    private var last: ContinuousClock.Instant?
    /// Whether an examination is scheduled or running.
    private var isPending = false
    private var isWanted = false

    init(timer: InputTimer) { self.timer = timer }

    /// Schedules the next examination if examinations are wanted and none is pending.
    func follow(isWanted: Bool) {
        self.isWanted = isWanted
        guard isWanted, !isPending else { return }
        isPending = true
        let interval = fault == nil ? Self.interval : Self.intervalOfFault
        let rest = last.map { $0.advanced(by: interval) - timer.clock.moment() } ?? .zero
        timer.post(.examinationDue, after: max(Self.settling, rest))
    }

    /// Starts the examination that is due, unless it is no longer wanted.
    func start(_ examination: () -> DeviceExamination) {
        guard isWanted else { return isPending = false }
        last = timer.clock.moment()
        let (examination, inputs) = (examination(), timer.inputs)
        Task { inputs.post(.examined(fault: await examination.diagnosis().findings.firstFault)) }
    }

    /// Keeps the result of an examination.
    func end(fault: String?) { (self.fault, isPending) = (fault, false) }
}

extension [CheckResult] {
    /// The code of the first fault that an administrator has to repair and that the published state does not already
    /// contain.
    var firstFault: String? { first { $0.verdict == .bad && !$0.isPublished }?.code }
}

extension CheckResult {
    /// Whether ``DeviceState`` contains the fact that was checked.
    fileprivate var isPublished: Bool {
        switch topic {
        case .mode, .session, .push: true
        case .agent: code == Self.agentMissing || WindowObstacle(rawValue: code)?.preventsSignIn == true
        case .server: code == Self.serverUnreachable || code.hasPrefix(RegistrationStatus.findingPrefix)
        case .apps: code == Self.appLocked
        case .certificates, .clock, .files, .receipts, .offline, .host: false
        }
    }
}
