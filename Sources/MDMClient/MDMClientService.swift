// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import BrokerProtocol
package import DeviceHTTPS
package import DeviceSettings
package import Files
internal import FoundationEssentials
package import Logging
internal import Processes
internal import ServiceLifecycle
internal import Synchronization

/// The device's side of the MDM, as a service. It checks in with the server at the start, on request, and at an
/// interval.
package final class MDMClientService: Service {
    /// Makes a client for a server. The client presents `identity`, and trusts `roots` (in PEM format) in addition to
    /// the roots of the broker's configuration.
    package typealias Connect =
        @Sendable (_ identity: HTTPSClient.Identity, _ roots: [UInt8]) throws -> any HTTPSending

    /// The agent's configuration.
    package struct Configuration: Sendable {
        package var device: DeviceDescription
        /// The time between regular check-ins, varied at random by up to a tenth.
        package var interval: Duration
        /// The file from which apps learn that the device is managed.
        package var marker: ManagedMarker
        package var connect: Connect
        /// Called with the new state after each change of the managed state, on any thread.
        package var changed: @Sendable (MDMState) -> Void
        package var sleep: @Sendable (Duration) async throws -> Void

        package init(
            device: DeviceDescription, interval: Duration, marker: ManagedMarker, connect: @escaping Connect,
            changed: @escaping @Sendable (MDMState) -> Void = { _ in },
            sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        ) {
            self.device = device
            self.interval = interval
            self.marker = marker
            self.connect = connect
            self.changed = changed
            self.sleep = sleep
        }
    }

    private struct Order: Sendable {
        enum Act: Sendable {
            case checkIn
            case enroll([UInt8])
            case unenroll
            /// Do the work that was postponed because of the worker's session.
            case settle
        }

        let act: Act
        let answer: @Sendable (Result<CheckInReport, EnrollmentError>) -> Void
    }

    /// The values that other parts read. All of them come from the same record.
    private struct Published: Sendable {
        let state: MDMState
        /// The device's credentials for the server that it is enrolled with.
        let credentials: MDMRecord.EnrollmentCredentials?
        /// Whether there is an enrollment, even if the server has not confirmed it yet.
        let hasEnrollment: Bool
        /// The version of the home screen's published configuration.
        let homeScreen: String?

        init(_ record: MDMRecord, apps: Directory, homeScreen: HomeScreenFile) throws {
            state = try MDMState(record: record, apps: apps)
            self.homeScreen = homeScreen.version
            credentials = record.enrollment?.confirmed
            hasEnrollment = state.isEnrolled || record.enrollment?.stage == .authenticating
        }
    }

    private let configuration: Configuration
    private let store: MDMStore
    let homeScreen: HomeScreenFile
    private let queue = BlockingQueue(label: "baton.management")
    private let orders: AsyncStream<Order>
    private let inbox: AsyncStream<Order>.Continuation
    private let published: Mutex<Published>
    private let credentialsObserver = Mutex<@Sendable () -> Void>({})
    /// Whether a check-in without a waiting caller is already queued.
    private let isPoked = Atomic(false)
    /// `changing` until the supervisor has determined the state, since a session may be running.
    private let stage = Mutex(SessionStage.changing)
    private let loaded: MDMRecord?
    private let logger: Logger

    /// Reads the device's record; blocks on the disk.
    ///
    /// - Parameter directory: the folder `management` of the device's state.
    /// - Throws: ``DeviceStateDamaged`` if the record exists and cannot be read. In that case the device counts neither
    ///   as managed nor as unmanaged.
    package init(directory: Directory, configuration: Configuration, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        store = MDMStore(root: directory)
        loaded = try store.load()
        try store.sweep(keeping: loaded)
        homeScreen = HomeScreenFile(beside: configuration.marker, logger: logger)
        published = Mutex(
            try Published(loaded ?? MDMRecord(udid: ""), apps: store.apps, homeScreen: homeScreen))
        (orders, inbox) = AsyncStream.makeStream()
    }

    /// The managed state now.
    package var state: MDMState { published.withLock(\.state) }

    /// Installs an enrollment profile.
    ///
    /// - Throws: ``EnrollmentError``.
    package func enroll(profile: [UInt8]) async throws { _ = try await perform(.enroll(profile)) }

    /// Checks in with the server now. Returns when the server has no more commands.
    ///
    /// - Returns: the outcome of the commands.
    /// - Throws: ``EnrollmentError``.
    @discardableResult
    package func checkIn() async throws -> CheckInReport { try await perform(.checkIn) }

    /// Removes the enrollment and everything that it installed.
    ///
    /// - Throws: ``EnrollmentError``.
    package func unenroll() async throws { _ = try await perform(.unenroll) }

    /// Requests a check-in soon, without waiting for it. Several requests are coalesced into one check-in.
    package func poke() {
        guard !isPoked.exchange(true, ordering: .acquiringAndReleasing) else { return }
        inbox.yield(Order(act: .checkIn) { _ in })
    }

    private func perform(_ act: Order.Act) async throws -> CheckInReport {
        let promise = Promise<CheckInReport>()
        post(act) { outcome in promise.settle(outcome.mapError { $0 }) }
        return try await promise.value()
    }

    private func post(_ act: Order.Act, answer: @escaping @Sendable (Result<CheckInReport, EnrollmentError>) -> Void) {
        guard case .enqueued = inbox.yield(Order(act: act, answer: answer)) else {
            return answer(.failure(EnrollmentError(.stopped, "the broker is stopping")))
        }
    }

    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.tick() }
            await self.serve()
            group.cancelAll()
        }
    }

    /// Requests a check-in at every interval, and the first check-in immediately.
    private func tick() async {
        do {
            while !Task.isCancelled {
                if published.withLock(\.hasEnrollment) { poke() }
                let jitter = Double.random(in: 0.9...1.1)
                try await configuration.sleep(configuration.interval * jitter)
            }
        } catch {
            // Cancelled: the process is stopping.
        }
    }

    /// Carries out one request after the other until the process stops. When the process stops, the current request is
    /// interrupted, and the queued requests are refused. The progress of an interrupted request is on disk, and the
    /// next start continues from there.
    private func serve() async {
        let worker = worker()
        let isStopping = Mutex(false)
        await withGracefulShutdownHandler {
            for await order in orders {
                guard !isStopping.withLock({ $0 }) else {
                    order.answer(.failure(EnrollmentError(.stopped, "the broker is stopping")))
                    continue
                }
                isPoked.store(false, ordering: .releasing)
                await cancelWhenGracefulShutdown { await self.carryOut(order, by: worker) }
            }
        } onGracefulShutdown: {
            isStopping.withLock { $0 = true }
            self.inbox.finish()
        }
    }

    private func carryOut(_ order: Order, by worker: MDMSession) async {
        do {
            var report = CheckInReport()
            switch order.act {
            case .checkIn: report = try await worker.checkIn()
            case .enroll(let profile):
                try await worker.enroll(profile)
                logger.info("device enrolled")
                // The enrollment is complete before the server's first commands are carried out.
                poke()
            case .unenroll:
                try await worker.unenroll()
                logger.info("device no longer enrolled")
            case .settle: try await worker.settle()
            }
            order.answer(.success(report))
        } catch {
            logger.warning("management order failed", metadata: ["error": "\(error)"])
            order.answer(.failure(error as? EnrollmentError ?? EnrollmentError(.storage, "\(error)")))
        }
    }

    private func worker() -> MDMSession {
        let (apps, homeScreen) = (store.apps, homeScreen)
        return MDMSession(
            store: store, queue: queue, device: configuration.device, connect: configuration.connect,
            marker: configuration.marker, homeScreen: homeScreen, stage: { self.stage.withLock { $0 } },
            publish: { self.publish(try Published($0, apps: apps, homeScreen: homeScreen)) }, record: loaded,
            logger: logger)
    }

    /// Publishes the new state, and notifies the observers of the parts that changed.
    private func publish(_ new: Published) {
        let old = published.withLock { published in
            defer { published = new }
            return published
        }
        if old.credentials != new.credentials { credentialsObserver.withLock { $0 }() }
        if old.state != new.state || old.homeScreen != new.homeScreen { configuration.changed(new.state) }
    }
}

// MARK: - Server access for other parts

extension MDMClientService {
    /// Calls `observer` each time the device enrolls, gets a new identity, or is no longer enrolled.
    package func observeAccess(_ observer: @escaping @Sendable () -> Void) {
        credentialsObserver.withLock { $0 = observer }
    }

    /// Returns the device's server and the device's identity there; nil if the device is not enrolled.
    ///
    /// - Throws: ``EnrollmentError``, ``DeviceStateDamaged``.
    package func access() async throws -> ServerAccess? {
        guard let credentials = published.withLock(\.credentials) else { return nil }
        let store = store
        return try await queue.run {
            try ServerAccess(profile: credentials.profile, identity: try store.identity(credentials.identity))
        }
    }
}

extension MDMClientService: MDMClientInterface {
    package var settings: ManagedSettings {
        var settings = state.settings
        settings.homeScreen = homeScreen.version
        return settings
    }

    package func declare() throws {
        if loaded?.enrollment != nil { try configuration.marker.raise() }
        // A crash may have happened after the record was written and before the file was written.
        homeScreen.follow(loaded)
    }

    package func session(is new: SessionStage) {
        stage.withLock { $0 = new }
        if new != .changing { inbox.yield(Order(act: .settle) { _ in }) }
    }

    package func enroll(profile: String, answer: @escaping @Sendable (OperatorReply) -> Void) {
        guard let bytes = Data(base64Encoded: profile) else {
            return answer(.failed(EnrollmentError(.profileRefused, "the profile is not Base64").operatorFailure))
        }
        post(.enroll(Array(bytes))) { answer(OperatorReply($0) { _ in .done }) }
    }

    package func unenroll(answer: @escaping @Sendable (OperatorReply) -> Void) {
        post(.unenroll) { answer(OperatorReply($0) { _ in .done }) }
    }

    package func checkIn(answer: @escaping @Sendable (OperatorReply) -> Void) {
        post(.checkIn) { outcome in
            answer(OperatorReply(outcome) { .checkedIn(done: $0.done, failed: $0.failed, later: $0.later) })
        }
    }
}

extension OperatorReply {
    fileprivate init(_ outcome: Result<CheckInReport, EnrollmentError>, done: (CheckInReport) -> OperatorReply) {
        switch outcome {
        case .success(let report): self = done(report)
        case .failure(let error): self = .failed(error.operatorFailure)
        }
    }
}
