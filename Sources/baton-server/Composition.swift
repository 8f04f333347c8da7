// SPDX-License-Identifier: Apache-2.0
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
        metering = Metering(configuration.monitoring.metrics)
    }

    /// Serves until SIGTERM or SIGINT.
    ///
    /// - Throws: ``ServerError``, ``StorageError``, or the error of a listener.
    func run(logger: Logger) async throws {
        let directory = try StateDirectory(path: configuration.directory)
        let authority = try DevelopmentAuthority(in: directory, names: configuration.names.all)
        let (identity, storageKey) = try await identityPlatform(directory)
        let management = try await management(in: directory, authority: authority, storageKey: storageKey)

        let socket = directory.path(of: "admin.sock")
        // No other process uses the directory, so a socket in it was left by a server that has exited.
        _ = unsafe unlink(socket)
        let administration = Router(context: AdminContext.self)
        administration.add(middleware: PeerCheck())
        administration.add(middleware: TenantLink(identity: identity, management: management))
        AdminRoutes(
            identity,
            beside: TenantNeighbour(
                holdings: { try await management.holdings(of: $0) }, remove: { try await management.removeTenant($0) })
        ).addRoutes(to: administration)
        management.addAdminRoutes(to: administration)
        let devices = Router(context: MDMContext.self)
        devices.add(middleware: HostCheck(name: configuration.names.mdm))
        management.addRoutes(to: devices)

        let possible = Self.connections(of: OpenFileLimit.raise(to: Self.wantedFiles))
        let connections = min(possible, configuration.limits.connections ?? possible)
        // A quarter of the listener's connections is reserved for requests outside the push channels.
        let channels = PushChannels(capacity: connections / 4 * 3, keepAlive: .seconds(configuration.keepAlive))
        channels.observe(identity, management, logger: logger)
        let link = ManagementLink(identity: identity, management: management, logger: logger)
        PushChannelRoute(identity: identity, management: management, channels: channels, link: link).add(to: devices)

        let listeners = Listeners(
            configuration: configuration, connections: connections,
            share: min(connections, configuration.limits.connectionsPerAddress ?? connections / 4),
            readiness: Readiness(listeners: 3 + metering.listeners, logger: logger), logger: logger)
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
        var services = metering.services(readiness: listeners.readiness, logger: logger)
        services += [
            try listeners.main(MeasuredResponder(main, requests[.main]), authority: authority),
            try listeners.devices(
                MeasuredResponder(devices.buildResponder(), requests[.devices]), of: management, authority: authority),
            listeners.administration(
                MeasuredResponder(administration.buildResponder(), requests[.administration]), path: socket),
            HousekeepingService(housekeeping: Housekeeping(identity), logger: logger), link,
            // The last service is notified of a shutdown first. The devices' listener waits for open responses, and
            // push channels are such responses.
            channels,
        ]
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger)
        ).run()
        _ = unsafe unlink(socket)
    }

    private func identityPlatform(_ directory: StateDirectory) async throws -> (Platform, StorageKey) {
        let names = configuration.names
        let database = try await SQLiteDatabase(
            path: directory.path(of: "identity.sqlite"), migrations: IdentitySchema.migrations)
        var identity = IdentityConfiguration(
            names: IdentityConfiguration.Names(
                login: names.login, deviceRegistration: names.deviceRegistration, graph: names.graph,
                port: configuration.port, aliases: names.aliases))
        identity.compatibility = configuration.compatibility
        identity.breachedPasswords = configuration.breachedPasswords
        identity.auditRetention = .seconds(configuration.auditDays * 86400)
        identity.lifetimes.devicePolling = .seconds(configuration.devicePolling)
        identity.signingKeys = configuration.signingKeys
        if let cost = PasswordCost(logarithm: configuration.passwordCost, blockSize: 8, parallelism: 3) {
            identity.passwordCost = cost
        }
        do {
            let key = try await storageKey(directory, database)
            let platform = try await Platform(
                configuration: identity, database: metering.measured(database, "identity"), storageKey: key,
                metrics: metering.identity)
            return (platform, key)
        } catch is StorageKey.Failure {
            throw Self.otherKey(directory.path(of: Self.keyFile))
        }
    }

    private static func otherKey(_ path: String) -> ServerError {
        ServerError(
            .fileUnusable, "\(path) does not decrypt the databases in its folder.",
            remedy: "Restore the three files from one backup.")
    }

    private func management(
        in directory: StateDirectory, authority: DevelopmentAuthority, storageKey: StorageKey
    ) async throws -> Management {
        let database = try await SQLiteDatabase(
            path: directory.path(of: "mdm.sqlite"), migrations: MDMSchema.migrations)
        do {
            return try await Management(
                configuration: MDMConfiguration(
                    baseURL: "https://\(configuration.names.mdm):\(configuration.mdmPort)",
                    trustRoot: try authority.root.serializeAsPEM().derBytes,
                    packageDirectory: configuration.packageFolder ?? directory.path(of: "packages"),
                    arePackagesInDatabase: database.isShared && configuration.packageFolder == nil,
                    auditRetention: .seconds(configuration.auditDays * 86400)),
                database: metering.measured(database, "management"),
                sealer: SecretSealer(
                    seal: { try storageKey.seal($0, purpose: $1) }, open: { try storageKey.open($0, purpose: $1) }))
        } catch is StorageKey.Failure {
            throw Self.otherKey(directory.path(of: Self.keyFile))
        }
    }

    private static let keyFile = "storage.key"

    /// The number of open files that is enough for as many connections as one process can serve well.
    private static let wantedFiles = 65536

    /// Returns how many connections each of the two TLS listeners may hold. The rest of the `files` descriptors is for
    /// databases, sockets and the administrator.
    private static func connections(of files: Int) -> Int { max(16, (min(files, wantedFiles) - 128) / 2) }

    /// Returns the key that seals secrets in the databases. The first start creates it. A key of the wrong length is an
    /// error. A missing key is an error if values in the database are already sealed. The key is never replaced,
    /// because the data sealed with it would be lost.
    private func storageKey(_ directory: StateDirectory, _ database: any Database) async throws -> StorageKey {
        let bytes: [UInt8]
        if let kept = try directory.read(Self.keyFile) {
            bytes = kept
        } else {
            guard try await !StorageCheck.isBound(database) else {
                throw ServerError(
                    .fileUnusable, "\(directory.path(of: Self.keyFile)) is missing, and the database needs it.",
                    remedy: "Restore the file from the backup of the database.")
            }
            bytes = ClockAndRandomness.system.randomBytes(StorageKey.length)
            try directory.replace(Self.keyFile, with: bytes)
        }
        do {
            return try StorageKey(SecretBytes(copying: bytes))
        } catch {
            throw ServerError(
                .fileUnusable, "\(directory.path(of: Self.keyFile)) is not a key of \(StorageKey.length) bytes.",
                remedy: "Restore the file from a backup; without it devices have to be joined again.")
        }
    }
}
