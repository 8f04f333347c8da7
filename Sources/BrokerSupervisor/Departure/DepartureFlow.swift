// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import DeviceKeyStore
internal import DeviceSettings
internal import Logging
internal import Processes
internal import Synchronization

/// The operators who wait for the end of a departure. They are answered after the supervisor has ended.
package final class DepartureAnswers: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    package init() {}

    func add(_ answer: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(answer) } }

    /// Answers all waiting operators, once the device's state is erased.
    package func settle() {
        let due = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for answer in due { answer() }
    }
}

/// Carries out the steps by which a device leaves its directory or is reset. Used only on the supervisor's thread. The
/// order is written to disk, the session ends with its complete clean-up, the servers are notified, and the erasure
/// begins.
final class DepartureFlow {
    private(set) var departure: Departure?
    private var waiting: [@Sendable (OperatorReply) -> Void] = []
    /// Whether the servers are being notified now.
    private var isTelling = false
    private var isTold = false
    private let session: SessionCoordinator
    private let files: DeviceFiles
    private let join: JoinFlow
    private let management: any MDMClientInterface
    private let farewell: Farewell
    private let inputs: Mailbox<SupervisorInput>
    private let logger: Logger

    init(
        session: SessionCoordinator, files: DeviceFiles, join: JoinFlow, management: any MDMClientInterface,
        farewell: Farewell, inputs: Mailbox<SupervisorInput>, logger: Logger
    ) throws {
        (self.session, self.files, self.join, self.management) = (session, files, join, management)
        (self.farewell, self.inputs, self.logger) = (farewell, inputs, logger)
        departure = try files.departure()
    }

    /// Writes the order to disk.
    func begin(_ kind: Departure.Kind, answer: @escaping @Sendable (OperatorReply) -> Void) throws {
        var next = departure ?? Departure(kind: kind, stage: .ordered, deviceID: join.record?.deviceID)
        // A reset includes everything that leaving does.
        if kind == .reset { next.kind = .reset }
        try files.write(next)
        departure = next
        waiting.append(answer)
        logger.notice("the device leaves", metadata: ["departure.kind": "\(next.kind.rawValue)"])
        Failpoint.departureOrdered.reach()
    }

    /// Carries out the next step. Called when the supervisor's thread has finished its other work.
    ///
    /// - Returns: whether the supervisor must end so that the state can be erased.
    func goOn() throws -> Bool {
        guard let present = departure else { return false }
        switch session.state {
        case .ready: break
        case .ending, .signingOut: return false
        // This also ends a sign-in that began after the order.
        case .signingIn, .signedIn:
            try session.end(by: .operator)
            return false
        }
        guard isTold else {
            tellServers(present)
            return false
        }
        var next = present
        next.stage = .erasing
        try files.write(next)
        departure = next
        Failpoint.departureErasing.reach()
        return true
    }

    private func tellServers(_ departure: Departure) {
        guard !isTelling else { return }
        isTelling = true
        let (inputs, farewell, join) = (inputs, farewell, join.record)
        let (management, isReset) = (management, departure.kind == .reset)
        let post: @Sendable (Bool) -> Void = { inputs.post(.departureTold(isDirectoryTold: $0)) }
        Task {
            let isTold = if let join { await farewell.tell(join) } else { false }
            guard isReset else { return post(isTold) }
            // Unenrolling fails if there is no enrollment or if the record cannot be written. The departure continues
            // either way.
            management.unenroll { _ in post(isTold) }
        }
    }

    /// Records that the servers were notified or could not be reached.
    func told(isDirectoryTold: Bool) {
        isTold = true
        departure?.isDirectoryTold = isDirectoryTold
        Failpoint.departureTold.reach()
    }

    /// Passes the waiting operators to the next service of this process. If there is no such service, answers the
    /// operators now.
    func handover(to next: DepartureAnswers?) {
        guard let departure else { return }
        for answer in waiting {
            if let next { next.add { answer(departure.reply) } } else { answer(departure.reply) }
        }
        waiting = []
    }
}
