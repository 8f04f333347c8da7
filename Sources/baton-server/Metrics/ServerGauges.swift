// SPDX-License-Identifier: Apache-2.0
internal import CoreMetrics
internal import FoundationEssentials
internal import Glibc
internal import IdentityPlatform
internal import Logging
internal import MDMServer
internal import OAuth
internal import Observability
internal import ServerMetrics
internal import Storage
internal import Synchronization
internal import X509

/// The values that are read when the metrics are published.
///
/// Values from the databases are read at most every ``pause``, so that frequent publications do not load a database. A
/// value that cannot be read is published as NaN, never as an outdated number.
struct ServerGauges: Sendable {
    /// The parts whose state is published.
    struct Sources: Sendable {
        let identity: Platform
        let management: MDMService
        let channels: PushChannels
        /// The certificates that do not change while the process runs.
        let certificates: [CertificateName: Certificate]
    }

    enum CertificateName: String, CaseIterable {
        /// The certificate of the TLS listeners.
        case server
        /// The server's own authority, which issued the listeners' certificate.
        case root
        /// The authority that issues the identities of managed devices.
        case deviceManagement = "device_management"
        /// Of the organisations' authorities for joined devices, the one that expires first.
        case deviceRegistration = "device_registration"
    }

    static let pause = Duration.seconds(10)

    private enum Name {
        static let build = "baton_build_info"
        static let hashing = "baton_password_hash_queue"
        static let channels = "baton_push_channels"
        static let commands = "baton_mdm_commands_waiting"
        static let oldestCommand = "baton_mdm_oldest_command_age_seconds"
        static let keyAge = "baton_signing_key_age_seconds"
        static let certificate = "baton_certificate_expiry_timestamp_seconds"
        static let breakGlass = "baton_break_glass_active"
        static let lastBreakGlass = "baton_break_glass_last_grant_timestamp_seconds"
        static let connections = "baton_database_connections"
        static let limit = "baton_database_connections_limit"
        static let waiting = "baton_database_waiting"
        static let retries = "baton_database_retries_total"
        static let faults = "baton_metrics_faults_total"
        static let refused = "baton_metrics_refused_total"
        static let memory = "process_resident_memory_bytes"
        static let processor = "process_cpu_seconds_total"
        static let files = "process_open_fds"
        static let fileLimit = "process_max_fds"
        static let start = "process_start_time_seconds"
    }

    private static let algorithms = [SignatureAlgorithm.rs256, .es256]

    static let declarations: [MetricDeclaration] = {
        let database = MetricDeclaration.Label("database", ["identity", "management"])
        return [
            .init(
                Name.build, .gauge, labels: [.init("version", [ServerVersion.current])],
                help: "Always 1; the label is the version."),
            .init(Name.hashing, .gauge, help: "Passwords that wait to be hashed or are being hashed."),
            .init(Name.channels, .gauge, help: "Push channels that devices hold to this node."),
            .init(
                Name.commands, .gauge, labels: [.init("state", QueueMeasures.Waiting.self)],
                help: "Commands of device management that wait, of all devices, by state."),
            .init(Name.oldestCommand, .gauge, help: "Age of the oldest waiting command; 0 if none waits."),
            .init(
                Name.keyAge, .gauge, labels: [.init("algorithm", algorithms.map(\.rawValue))],
                help: "Age of the oldest key with which an organisation signs now."),
            .init(
                Name.certificate, .gauge, labels: [.init("certificate", CertificateName.self)],
                help: "End of validity in seconds since 1970."),
            .init(Name.breakGlass, .gauge, help: "Break-glass access that is in force, of all organisations."),
            .init(
                Name.lastBreakGlass, .gauge,
                help: "When break-glass access was last granted, in seconds since 1970; 0 if never."),
            .init(
                Name.connections, .gauge, labels: [database],
                help: "Connections to PostgreSQL that a transaction uses now."),
            .init(Name.limit, .gauge, labels: [database], help: "The maximum number of connections to PostgreSQL."),
            .init(
                Name.waiting, .gauge, labels: [database], help: "Transactions that wait for a connection to PostgreSQL."
            ),
            .init(
                Name.retries, .counter, labels: [database, .init("reason", ["conflict", "connection_lost"])],
                help: "Transactions that were repeated on PostgreSQL."),
            .init(Name.faults, .counter, help: "Values that could not be read for a publication."),
            .init(
                Name.refused, .counter,
                help: "Series that were not published, because they are not declared: a defect of the server."),
            .init(Name.memory, .gauge, help: "Resident memory of the process."),
            .init(Name.processor, .counter, help: "Processor time of the process."),
            .init(Name.files, .gauge, help: "Open file descriptors of the process."),
            .init(Name.fileLimit, .gauge, help: "The maximum number of open file descriptors."),
            .init(Name.start, .gauge, help: "When the process started, in seconds since 1970."),
        ]
    }()

    private let sources: Sources
    private let factory: PrometheusFactory
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    private let meters: [String: Meter]
    private let faults: Counter
    /// When the databases were last read.
    private let lastRead = LastRead()

    private final class LastRead: Sendable {
        private let time = Mutex<ContinuousClock.Instant?>(nil)

        /// Returns whether the pause is over; if so, the next pause begins.
        func isDue(at now: ContinuousClock.Instant) -> Bool {
            time.withLock { last in
                if let last, last.duration(to: now) < ServerGauges.pause { return false }
                last = now
                return true
            }
        }
    }

    init(_ sources: Sources, factory: PrometheusFactory, logger: Logger, now: @escaping @Sendable () -> Timestamp) {
        (self.sources, self.factory, self.logger, clock) = (sources, factory, logger, now)
        faults = Counter(label: Name.faults, factory: factory)
        var meters: [String: Meter] = [:]
        func make(_ name: String, _ labels: [(String, String)] = []) {
            meters[Self.key(name, labels.map(\.1))] = Meter(label: name, dimensions: labels, factory: factory)
        }
        for name in [
            Name.hashing, Name.channels, Name.oldestCommand, Name.refused, Name.memory, Name.processor, Name.files,
            Name.fileLimit, Name.start, Name.breakGlass, Name.lastBreakGlass,
        ] {
            make(name)
        }
        make(Name.build, [("version", ServerVersion.current)])
        for state in QueueMeasures.Waiting.allCases { make(Name.commands, [("state", state.rawValue)]) }
        for algorithm in Self.algorithms { make(Name.keyAge, [("algorithm", algorithm.rawValue)]) }
        for name in CertificateName.allCases { make(Name.certificate, [("certificate", name.rawValue)]) }
        for (name, database) in Self.databases(sources) where database.load != nil {
            for metric in [Name.connections, Name.limit, Name.waiting] { make(metric, [("database", name)]) }
            for reason in ["conflict", "connection_lost"] {
                make(Name.retries, [("database", name), ("reason", reason)])
            }
        }
        self.meters = meters
        set(Name.build, [ServerVersion.current], to: 1)
        set(Name.start, to: Double(clock().seconds))
        for (name, certificate) in sources.certificates { set(certificate.notValidAfter, of: name) }
    }

    private static func databases(_ sources: Sources) -> [(String, MeasuredDatabase)] {
        [("identity", sources.identity.database), ("management", sources.management.database)]
            .compactMap { name, database in (database as? MeasuredDatabase).map { (name, $0) } }
    }

    private static func key(_ name: String, _ values: [String]) -> String { ([name] + values).joined(separator: " ") }

    private func set(_ name: String, _ values: [String] = [], to value: Double) {
        meters[Self.key(name, values)]?.set(value)
    }

    private func set(_ end: Date, of certificate: CertificateName) {
        set(Name.certificate, [certificate.rawValue], to: end.timeIntervalSince1970)
    }

    /// Sets every gauge to its present value.
    func update() async {
        set(Name.hashing, to: Double(sources.identity.hashing.waiting))
        set(Name.channels, to: Double(sources.channels.held))
        set(Name.refused, to: Double(factory.refused))
        updatePools()
        updateProcess()
        guard lastRead.isDue(at: .now) else { return }
        await updateIdentity()
        await updateManagement()
    }

    private func updatePools() {
        for (name, database) in Self.databases(sources) {
            guard let load = database.load else { continue }
            set(Name.connections, [name], to: Double(load.inUse))
            set(Name.limit, [name], to: Double(load.limit))
            set(Name.waiting, [name], to: Double(load.waiting))
            set(Name.retries, [name, "conflict"], to: Double(load.conflicts))
            set(Name.retries, [name, "connection_lost"], to: Double(load.losses))
        }
    }

    private func updateIdentity() async {
        do {
            let measures = try await sources.identity.measures()
            let now = clock()
            for algorithm in Self.algorithms {
                let begun = measures.oldestSigningKeys[algorithm] ?? now
                set(Name.keyAge, [algorithm.rawValue], to: Double((now - begun).milliseconds) / 1000)
            }
            set(Name.breakGlass, to: Double(measures.activeBreakGlass))
            set(Name.lastBreakGlass, to: Double(measures.lastBreakGlass?.seconds ?? 0))
            let end = measures.firstDeviceAuthorityEnd.map { Double($0.seconds) } ?? .infinity
            set(Name.certificate, [CertificateName.deviceRegistration.rawValue], to: end)
        } catch {
            failed(error)
            for algorithm in Self.algorithms { set(Name.keyAge, [algorithm.rawValue], to: .nan) }
            set(Name.certificate, [CertificateName.deviceRegistration.rawValue], to: .nan)
            for name in [Name.breakGlass, Name.lastBreakGlass] { set(name, to: .nan) }
        }
    }

    private func updateManagement() async {
        do {
            let queue = try await sources.management.queueMeasures()
            for state in QueueMeasures.Waiting.allCases {
                set(Name.commands, [state.rawValue], to: Double(queue.counts[state] ?? 0))
            }
            let age = queue.oldest.map { Double(($0.duration(to: clock())).milliseconds) / 1000 } ?? 0
            set(Name.oldestCommand, to: max(0, age))
        } catch {
            failed(error)
            for state in QueueMeasures.Waiting.allCases { set(Name.commands, [state.rawValue], to: .nan) }
            set(Name.oldestCommand, to: .nan)
        }
    }

    private func failed(_ error: any Error) {
        faults.increment()
        logger.warning("a metric cannot be read", metadata: ["error": "\(error)"])
    }

    private func updateProcess() {
        let process = ProcessMeasures.now()
        set(Name.memory, to: process.residentBytes)
        set(Name.processor, to: process.processorSeconds)
        set(Name.files, to: process.openFiles)
        set(Name.fileLimit, to: process.fileLimit)
    }
}

extension Timestamp {
    fileprivate func duration(to later: Timestamp) -> Duration { later - self }
}
