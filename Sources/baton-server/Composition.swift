// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Glibc
internal import Hummingbird
internal import IdentityPlatform
internal import Logging
internal import MDMServer
internal import Processes
internal import Redaction
internal import ServerMetrics
internal import ServiceLifecycle
internal import Storage
internal import SwiftASN1
internal import UnixSignals
internal import X509

/// Assembles the engines, their databases and their listeners. No other type depends on all of them.
struct Composition {
    private let configuration: ServerConfiguration
    private let metering: Metering

    init(_ configuration: ServerConfiguration) {
        self.configuration = configuration
        metering = Metering(isOn: configuration.monitoring.metrics != nil)
    }

    /// Serves until SIGTERM or SIGINT.
    ///
    /// - Throws: ``ServerError``, or the error of a listener.
    func run(logger: Logger) async throws {
        do { try await serve(logger: logger) } catch let error as StorageError {
            throw ServerError(database: configuration.database, error)
        }
    }

    private func serve(logger: Logger) async throws {
        let directory = try StateDirectory(path: configuration.directory)
        let steadiness = ClockGuard()
        let databases = try await Databases(configuration.database, in: directory, clock: steadiness)
        let clock = ClockService(
            check: ClockCheck(database: databases.identity), clock: steadiness, logger: logger)
        try await clock.confirm()
        let key = try await storageKey(directory, databases)
        let authority = try DevelopmentAuthority(in: directory, names: configuration.names.all)
        let identity = try await identityPlatform(in: directory, databases, storageKey: key)
        let management = try await management(in: directory, databases, authority: authority, storageKey: key)

        let socket = directory.path(of: "admin.sock")
        // No other process uses the directory, so a socket in it was left by a server that has exited.
        _ = unsafe unlink(socket)
        let administration = Router(context: AdminContext.self)
        administration.add(middleware: PeerCheck())
        administration.add(middleware: OutageResponse())
        administration.add(middleware: BreakGlassNotice { try await identity.activeBreakGlass()?.until })
        administration.add(middleware: TenantLink(identity: identity, management: management))
        AdminRoutes(
            identity,
            beside: TenantNeighbour(
                holdings: { try await management.holdings(of: $0) }, remove: { try await management.removeTenant($0) }),
            managedDevices: DeviceNeighbour { try await management.devices(named: $0, tenant: $1) }
        ).addRoutes(to: administration)
        management.addAdminRoutes(
            to: administration, directory: DeviceNeighbour { try await identity.devices(named: $0, tenant: $1) })
        let devices = Router(context: MDMContext.self)
        devices.add(middleware: HostCheck(name: configuration.names.mdm))
        devices.add(middleware: ClientAddress())
        management.addRoutes(to: devices)

        let possible = Self.connections(of: OpenFileLimit.raise(to: Self.wantedFiles))
        let connections = min(possible, configuration.limits.connections ?? possible)
        // A quarter of the listener's connections is reserved for requests outside the push channels.
        let channels = PushChannels(capacity: connections / 4 * 3, keepAlive: .seconds(configuration.limits.keepAlive))
        channels.observe(identity, management, logger: logger)
        let link = MDMLink(identity: identity, management: management, logger: logger)
        PushChannelRoute(identity: identity, management: management, channels: channels, link: link).add(to: devices)

        let (health, metrics) = (configuration.loadBalancer.health, configuration.monitoring.metrics)
        let readiness = Readiness(listeners: 3 + [health, metrics].compactMap(\.self).count, logger: logger)
        let listeners = Listeners(
            configuration: configuration, connections: connections,
            share: min(connections, configuration.limits.connectionsPerAddress ?? connections / 4),
            readiness: readiness, logger: logger)
        let healthRoutes = HealthRoutes(
            readiness: readiness,
            databases: DatabaseCheck(
                [(identity.database, IdentitySchema.migrations), (management.database, MDMSchema.migrations)],
                logger: logger))
        let main = identity.responder()
        let requests = metering.requests([
            .main: main.routes.map { ServedRoute(method: $0.method, path: $0.path) },
            .devices: ServedRoute.all(of: devices),
            .administration: ServedRoute.all(of: administration),
        ])
        metering.observe(
            .init(
                identity: identity, management: management, channels: channels,
                certificates: [
                    .server: try Certificate(pemEncoded: authority.certificate), .root: authority.root,
                    .deviceManagement: try Certificate(derEncoded: management.identityAuthority),
                ]), logger: logger)
        // The listeners for health checks and metrics are the first services, so they answer until the others have
        // stopped.
        var services = [
            health.map { listeners.plain("health", at: $0, addRoutes: healthRoutes.add) },
            metrics.map { listeners.plain("metrics", at: $0, addRoutes: metering.addRoute) },
        ].compactMap(\.self)
        services += [
            try listeners.main(MeasuredResponder(main, requests[.main]), authority: authority),
            try listeners.devices(
                MeasuredResponder(devices.buildResponder(), requests[.devices]), of: management, authority: authority),
            listeners.administration(
                MeasuredResponder(administration.buildResponder(), requests[.administration]), path: socket),
            HousekeepingService(
                housekeeping: Housekeeping(identity, beside: { try await management.sweep() }), logger: logger), link,
            // The last service is notified of a shutdown first. The devices' listener waits for open responses, and
            // push channels are such responses.
            channels,
        ]
        var group = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }
                + [.init(service: clock, failureTerminationBehavior: .gracefullyShutdownGroup)],
            logger: logger)
        // Requests that have not ended after this time are cancelled.
        group.maximumGracefulShutdownDuration = .seconds(configuration.limits.requestDeadline)
        try await Shutdown(
            drain: .seconds(configuration.loadBalancer.drain), readiness: readiness, channels: channels, logger: logger
        ).run(ServiceGroup(configuration: group))
        _ = unsafe unlink(socket)
    }

    private func identityPlatform(
        in directory: StateDirectory, _ databases: Databases, storageKey: StorageKey
    ) async throws -> Platform {
        let names = configuration.names
        var identity = IdentityConfiguration(
            names: IdentityConfiguration.Names(
                login: names.login, deviceRegistration: names.deviceRegistration, graph: names.graph,
                port: configuration.port, administration: names.administration,
                administrationPort: configuration.administrationPort, aliases: names.aliases))
        identity.compatibility = configuration.compatibility
        identity.breachedPasswords = configuration.passwords.breached
        identity.retention = configuration.retention.identity
        identity.lifetimes.devicePolling = .seconds(configuration.devicePolling)
        identity.signingKeys = configuration.signingKeys
        if let cost = PasswordCost(logarithm: configuration.passwords.cost, blockSize: 8, parallelism: 3) {
            identity.passwordCost = cost
        }
        do {
            return try await Platform(
                configuration: identity, database: metering.measured(databases.identity, "identity"),
                storageKey: storageKey, metrics: metering.identity)
        } catch is StorageKey.Failure {
            throw Self.otherKey(directory, databases)
        }
    }

    private static func otherKey(_ directory: StateDirectory, _ databases: Databases) -> ServerError {
        let path = directory.path(of: Self.keyFile)
        guard databases.isShared else {
            return ServerError(
                .fileUnusable, "\(path) does not decrypt the databases in its folder.",
                remedy: "Restore the three files from one backup.")
        }
        return ServerError(
            .fileUnusable, "\(path) does not decrypt the database: its nodes use another key.",
            remedy: "Copy storage.key and ca/ from a node that works.")
    }

    private func management(
        in directory: StateDirectory, _ databases: Databases, authority: DevelopmentAuthority,
        storageKey: StorageKey
    ) async throws -> MDMService {
        do {
            return try await MDMService(
                configuration: MDMConfiguration(
                    baseURL: "https://\(configuration.names.mdm):\(configuration.mdmPort)",
                    trustRoot: try authority.root.serializeAsPEM().derBytes,
                    packageDirectory: configuration.packageFolder ?? directory.path(of: "packages"),
                    arePackagesInDatabase: databases.isShared && configuration.packageFolder == nil,
                    auditRetention: .days(configuration.retention.auditDays),
                    commandRetention: .days(configuration.retention.commandDays)),
                database: metering.measured(databases.management, "management"),
                sealer: SecretSealer(
                    seal: { try storageKey.seal($0, purpose: $1) }, open: { try storageKey.open($0, purpose: $1) }))
        } catch is StorageKey.Failure {
            throw Self.otherKey(directory, databases)
        }
    }

    static let keyFile = "storage.key"

    /// The number of open files needed for as many connections as one process can serve well.
    private static let wantedFiles = 65536

    /// Returns how many connections each of the two TLS listeners may hold. The rest of the `files` descriptors is for
    /// databases, sockets and the administrator.
    private static func connections(of files: Int) -> Int { max(16, (min(files, wantedFiles) - 128) / 2) }

    /// Returns the key that seals secrets in the databases. The first start creates it. A key of the wrong length is an
    /// error. A missing key is an error if values in the database are already sealed. The key is never replaced,
    /// because the data sealed with it would be lost.
    private func storageKey(_ directory: StateDirectory, _ databases: Databases) async throws -> StorageKey {
        let path = directory.path(of: Self.keyFile)
        let isBound = try await StorageCheck.isBound(databases.identity)
        if isBound, databases.isShared, try directory.read(DevelopmentAuthority.rootFile) == nil {
            throw ServerError(
                .fileUnusable,
                "\(directory.path(of: DevelopmentAuthority.rootFile)) is missing, and the database has other nodes.",
                remedy: "Copy storage.key and ca/ from a node that works: all nodes need the same authority.")
        }
        let bytes: [UInt8]
        if let kept = try directory.read(Self.keyFile) {
            bytes = kept
        } else {
            guard !isBound else {
                throw ServerError(
                    .fileUnusable, "\(path) is missing, and the database needs it.",
                    remedy: databases.isShared
                        ? "Copy storage.key and ca/ from a node that works, or from the backup of the database."
                        : "Restore the file from the backup of the database.")
            }
            bytes = ClockAndRandomness.system.randomBytes(StorageKey.length)
            try directory.replace(Self.keyFile, with: bytes)
        }
        do {
            return try StorageKey(SecretBytes(copying: bytes))
        } catch {
            throw ServerError(
                .fileUnusable, "\(path) is not a key of \(StorageKey.length) bytes.",
                remedy: "Restore the file from a backup; without it devices have to be joined again.")
        }
    }
}
