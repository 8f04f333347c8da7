// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
package import Hummingbird
internal import JSON
internal import Storage

/// The identity platform's routes on the administration socket. Callers on the socket are fully trusted; the executable
/// restricts who can connect.
package struct AdminRoutes: Sendable {
    private let database: any Database
    private let environment: ClockAndRandomness
    private let keys: TenantKeys
    private let issuer: TokenIssuer
    private let acts: Administration
    private let transactions: AdminTransactions
    private let deviceAuthorities: DeviceAuthorities
    private let receiptAuthorities: ReceiptAuthorities
    private let managedDevices: DeviceNeighbour?

    /// - Parameters:
    ///   - management: the tenants' device management; nil if the server does not manage devices.
    ///   - managedDevices: the devices that device management knows.
    package init(
        _ platform: Platform, beside management: TenantNeighbour? = nil, managedDevices: DeviceNeighbour? = nil
    ) {
        self.managedDevices = managedDevices
        (database, environment) = (platform.database, platform.environment)
        (keys, issuer) = (platform.keys, platform.issuer)
        acts = Administration(platform, beside: management)
        transactions = AdminTransactions(platform, as: .localOperator)
        (deviceAuthorities, receiptAuthorities) = (platform.deviceAuthorities, platform.receiptAuthorities)
    }

    /// Adds the routes of ``IdentityAdmin/operations``.
    package func addRoutes<Context: RequestContext>(to router: Router<Context>) {
        let router = AdminRouter(router: router, database: database)
        router.on(IdentityAdmin.getOpenAPI) { _ in JSONWriter.write(OpenAPIDocument.of(AdminOperation.all)) }
        TenantRoutes(database: database, tenants: acts.tenants, issuer: issuer).add(to: router)
        UserRoutes(database: database, users: acts.users).add(to: router)
        PersonalDataRoutes(transactions: transactions, users: acts.users)
            .add(to: router)
        BreakGlassRoutes(acts: acts.breakGlass).add(to: router)
        RoleRoutes(database: database, users: acts.users).add(to: router)
        ClientRoutes(database: database, clients: acts.clients).add(to: router)
        DeviceRoutes(
            database: database, devices: acts.devices,
            search: DeviceSearch(database: database, management: managedDevices)
        ).add(to: router)
        GroupRoutes(database: database, groups: acts.groups).add(to: router)
        SessionRoutes(database: database, users: acts.users).add(to: router)
        SigningKeyRoutes(keys: keys, environment: environment, tenants: acts.tenants).add(to: router)
        BrandingRoutes(database: database, tenants: acts.tenants).add(to: router)
        OfflineRoutes(database: database, tenants: acts.tenants).add(to: router)
        ReceiptRoutes(
            transactions: transactions,
            deviceAuthorities: deviceAuthorities, receiptAuthorities: receiptAuthorities
        ).add(to: router)
    }
}
