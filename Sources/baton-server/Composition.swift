// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Hummingbird
internal import IdentityPlatform
internal import Logging
internal import ServiceLifecycle
internal import Storage
internal import UnixSignals

/// Puts the engines, their databases and their listeners together; the only place that knows them all.
struct Composition {
    private let configuration: ServerConfiguration

    init(_ configuration: ServerConfiguration) { self.configuration = configuration }

    /// Serves until SIGTERM or SIGINT.
    ///
    /// - Throws: ``ServerError``, ``StorageError``, or the error of a listener.
    func run(logger: Logger) async throws {
        let directory = try StateDirectory(path: configuration.directory)
        let authority = try DevelopmentAuthority(in: directory, names: configuration.names.all)
        let identity = try await identityPlatform(directory)

        let socket = directory.path(of: "admin.sock")
        // The directory is ours alone, so a socket in it is one that a dead server left.
        _ = unsafe unlink(socket)
        let administration = Router(context: AdminContext.self)
        administration.add(middleware: PeerCheck())
        AdminRoutes(identity).addRoutes(to: administration)

        let listeners = Listeners(
            configuration: configuration, readiness: Readiness(listeners: 2, logger: logger), logger: logger)
        let services = [
            try listeners.main(identity.responder(), authority: authority),
            listeners.administration(administration, path: socket),
        ]
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger)
        ).run()
        _ = unsafe unlink(socket)
    }

    private func identityPlatform(_ directory: StateDirectory) async throws -> Platform {
        let names = configuration.names
        let database = try await SQLiteDatabase(
            path: directory.path(of: "identity.sqlite"), migrations: Schema.migrations)
        var identity = IdentityConfiguration(
            names: IdentityConfiguration.Names(
                login: names.login, deviceRegistration: names.deviceRegistration, graph: names.graph,
                port: configuration.port))
        if let cost = PasswordCost(logarithm: configuration.passwordCost, blockSize: 8, parallelism: 1) {
            identity.passwordCost = cost
        }
        return try await Platform(configuration: identity, database: database)
    }
}
