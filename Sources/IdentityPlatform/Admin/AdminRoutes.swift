// SPDX-License-Identifier: Apache-2.0
package import Hummingbird

/// The identity platform's routes on the administration socket. Callers on the socket are fully trusted; the executable
/// restricts who can connect.
package struct AdminRoutes: Sendable {
    private let platform: Platform

    private let management: TenantNeighbour?

    /// - Parameter management: the tenants' device management; nil if the server does not manage devices.
    package init(_ platform: Platform, beside management: TenantNeighbour? = nil) {
        (self.platform, self.management) = (platform, management)
    }

    /// Adds every path of ``IdentityAdmin/Path``.
    package func addRoutes<Context: RequestContext>(to router: Router<Context>) {
        let (database, acts) = (platform.database, Administration(platform, beside: management))
        let router = AdminRouter(router: router, database: database)
        TenantRoutes(database: database, tenants: acts.tenants, issuer: platform.issuer).add(to: router)
        UserRoutes(database: database, users: acts.users).add(to: router)
        PersonalDataRoutes(transactions: AdminTransactions(platform, as: .localOperator), users: acts.users)
            .add(to: router)
        BreakGlassRoutes(acts: acts.breakGlass).add(to: router)
        RoleRoutes(database: database, users: acts.users).add(to: router)
        ClientRoutes(database: database, clients: acts.clients).add(to: router)
        DeviceRoutes(database: database, devices: acts.devices).add(to: router)
        GroupRoutes(database: database, groups: acts.groups).add(to: router)
        SessionRoutes(database: database, users: acts.users).add(to: router)
        SigningKeyRoutes(keys: platform.keys, environment: platform.environment, tenants: acts.tenants).add(to: router)
        BrandingRoutes(database: database, tenants: acts.tenants).add(to: router)
        OfflineRoutes(database: database, tenants: acts.tenants).add(to: router)
        ReceiptRoutes(
            transactions: AdminTransactions(platform, as: .localOperator),
            deviceAuthorities: platform.deviceAuthorities, receiptAuthorities: platform.receiptAuthorities
        ).add(to: router)
    }
}
