// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
package import AdminServer
internal import Foundation
package import Hummingbird
internal import Logging
internal import MDMProtocol
package import NIOSSL
package import Storage

/// The device management server: enrollment, commands, profiles and apps over one database.
///
/// Devices use the routes of ``addRoutes(to:)`` on a separate HTTP/1.1 listener that asks for client certificates
/// issued by ``identityAuthority``. Administrators use the routes of ``addAdminRoutes(to:)``.
package struct MDMService: Sendable {
    package let configuration: MDMConfiguration
    package let database: any Database
    let sources: MDMSources
    let authority: IdentityAuthority
    let sealer: SecretSealer
    let packages: any PackageStore

    /// Opens the server on a database that has the steps of ``MDMSchema/migrations``. The first start creates the
    /// authority that issues device identities.
    ///
    /// - Parameter sealer: seals the authority's key and the devices' secrets in the database. The sealer's key must
    ///   stay the same as long as the database exists.
    package init(
        configuration: MDMConfiguration, database: any Database, sealer: SecretSealer, sources: MDMSources = .system
    ) async throws {
        self.configuration = configuration
        self.database = database
        (self.sources, self.sealer) = (sources, sealer)
        authority = try await IdentityAuthority.load(database: database, sealer: sealer, sources: sources)
        try await ClearSecrets(database: database, sealer: sealer).seal()
        if configuration.arePackagesInDatabase {
            let table = PackageTable(database: database, sources: sources)
            try await table.adopt(configuration.packageDirectory)
            packages = table
        } else {
            packages = PackageFolder(directory: configuration.packageDirectory, sources: sources)
        }
        try await packages.sweep()
    }

    /// DER of the only certificate that the listener trusts for client certificates.
    package var identityAuthority: [UInt8] { authority.certificate }

    /// Adds the routes for devices.
    package func addRoutes(to router: Router<MDMContext>) { deviceEndpoint.addRoutes(to: router) }

    /// Adds the routes of ``MDMAdmin/operations``. The interfaces through which calls arrive identify the callers.
    ///
    /// - Parameter directory: the devices that the directory knows; nil if the server has no directory.
    package func addAdminRoutes(to router: Router<AdminContext>, directory: DeviceNeighbour? = nil) {
        let router = MDMAdminRouter(router, database, prepare: MDMAdminTenants(database: database).prepare)
        let log = MDMAdminLog(sources: sources)
        let search = ManagedDeviceSearch(database: database, directory: directory)
        let commands = CommandRequests(
            database: database, sources: sources, sealer: sealer, log: log, maximumQueue: configuration.maximumQueue)
        EnrollmentRoutes(
            database: database, sources: sources, profiles: enrollmentProfiles,
            profileLifetime: configuration.profileLifetime, log: log, search: search
        ).add(to: router)
        ManagedDeviceRoutes(database: database, sources: sources, log: log, commands: commands, search: search)
            .add(to: router)
        ProfileRoutes(database: database, sources: sources, log: log, commands: commands, search: search)
            .add(to: router)
        AppRoutes(
            database: database, sources: sources, packages: packages, addresses: addresses, log: log,
            commands: commands, search: search
        ).add(to: router)
        AuditRoutes(database: database, sources: sources).add(to: router)
    }

    /// Returns the TLS configuration of the devices' listener: HTTP/1.1, asking for a client certificate that
    /// ``identityAuthority`` issued.
    ///
    /// A device without a certificate can connect and gets a 403 with the reason. The handshake fails if a different
    /// authority issued the certificate.
    package func tls(
        certificateChain: [NIOSSLCertificateSource], privateKey: NIOSSLPrivateKeySource
    ) throws -> TLSConfiguration {
        var tls = TLSConfiguration.makeServerConfiguration(certificateChain: certificateChain, privateKey: privateKey)
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["http/1.1"]
        tls.certificateVerification = .optionalVerification
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: identityAuthority, format: .der)])
        return tls
    }

    private var addresses: DeviceAddresses { DeviceAddresses(base: configuration.baseURL) }

    private var enrollmentProfiles: EnrollmentProfiles {
        EnrollmentProfiles(
            database: database, sources: sources, authority: authority, addresses: addresses,
            trustRoot: configuration.trustRoot, lifetime: configuration.identityLifetime)
    }

    var deviceEndpoint: DeviceEndpoint {
        let renewal = IdentityRenewal(
            database: database, sources: sources, sealer: sealer, profiles: enrollmentProfiles,
            lifetime: configuration.identityLifetime, maximumQueue: configuration.maximumQueue)
        return DeviceEndpoint(
            database: database, sources: sources, packages: packages, addresses: addresses,
            checkIn: CheckIn(
                database: database, sources: sources, sealer: sealer, lifetime: configuration.identityLifetime),
            commands: NextCommand(
                database: database, sources: sources, sealer: sealer, history: configuration.history, renewal: renewal)
        )
    }
}

/// A tenant in device management's database.
struct Organization: Record {
    let id: TenantID
    let name: String
    /// The topic of pushes, in Apple's format.
    let topic: String
    /// Nil if an older server created the tenant and the tenant has not been prepared since.
    let domain: String?

    /// The tenant's domain, or its id if the domain is not known.
    var address: String { domain ?? id.rawValue }

    static let table = "tenant"
    static let unread: Set<Column> = [.removed]
    enum Column: String, ColumnName { case id, organization, topic, domain, removed }

    init(_ row: TableRow<Organization>) throws {
        (id, name) = (try row[.id], try row[.organization])
        (topic, domain) = (try row[.topic], try row[.domain])
    }
}
