// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
package import AdminServer
package import Hummingbird
internal import Storage

/// The identity platform's routes for administrators. The interfaces through which calls arrive identify the callers.
package struct AdminRoutes: Sendable {
    private let database: any Database
    private let environment: ClockAndRandomness
    private let keys: TenantKeys
    private let issuer: TokenIssuer
    private let resources: ResourceCatalogue
    private let passwords: Passwords
    private let administration: @Sendable (AdminActor) -> Administration
    private let deviceAuthorities: DeviceAuthorities
    private let receiptAuthorities: ReceiptAuthorities
    private let managedDevices: DeviceNeighbour?
    private let documents: OperationDocuments

    /// - Parameters:
    ///   - management: the tenants' device management; nil if the server does not manage devices.
    ///   - managedDevices: the devices that device management knows.
    package init(
        _ platform: Platform, beside management: TenantNeighbour? = nil, managedDevices: DeviceNeighbour? = nil
    ) {
        self.managedDevices = managedDevices
        (database, environment) = (platform.database, platform.environment)
        (keys, issuer) = (platform.keys, platform.issuer)
        (resources, passwords) = (platform.resources, platform.passwords)
        administration = { Administration(platform, as: $0, beside: management) }
        (deviceAuthorities, receiptAuthorities) = (platform.deviceAuthorities, platform.receiptAuthorities)
        documents = OperationDocuments(platform.configuration.names, platform.resources)
    }

    /// Adds the routes of ``IdentityAdmin/operations``.
    package func addRoutes(to router: Router<AdminContext>) {
        let router = AdminRouter(router, database) { [database, environment, administration] received in
            AdminCall(received: received, database: database, environment: environment, administration: administration)
        }
        router.on(IdentityAdmin.getOpenAPI) { [documents] call in
            documents.document(for: call.received.caller.interface)
        }
        TenantRoutes(database: database, issuer: issuer).add(to: router)
        UserRoutes(database: database).add(to: router)
        PersonalDataRoutes(database: database, passwords: passwords).add(to: router)
        BreakGlassRoutes(database: database).add(to: router)
        RoleRoutes(database: database).add(to: router)
        ClientRoutes(database: database, resources: resources).add(to: router)
        ApplicationRoutes(database: database).add(to: router)
        let search = DeviceSearch(database: database, management: managedDevices)
        DeviceRoutes(database: database, search: search).add(to: router)
        GroupRoutes(database: database, search: search).add(to: router)
        SessionRoutes(database: database).add(to: router)
        SigningKeyRoutes(keys: keys, environment: environment).add(to: router)
        BrandingRoutes(database: database).add(to: router)
        OfflineRoutes(database: database).add(to: router)
        ReceiptRoutes(deviceAuthorities: deviceAuthorities, receiptAuthorities: receiptAuthorities).add(to: router)
    }
}
