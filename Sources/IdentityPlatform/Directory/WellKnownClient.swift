// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// An application that is registered under a predefined id. It is an ordinary registration: no code treats an
/// application differently because of its id.
package struct WellKnownClient: Sendable {
    package let id: ClientID
    let displayName: String
    let redirectURIs: [String]
    let resources: [ClientID]
    var permissions: [String] = []
    var isBroker = false

    /// Creates an application; returns nil if the id is malformed.
    init?(
        _ id: String, _ displayName: String, redirectURIs: [String], resources: [ClientID],
        permissions: [GraphPermission] = [], isBroker: Bool = false
    ) {
        guard let id = ClientID(rawValue: id) else { return nil }
        (self.id, self.displayName, self.redirectURIs, self.resources) = (id, displayName, redirectURIs, resources)
        (self.permissions, self.isBroker) = (permissions.map(\.rawValue), isBroker)
    }

    func registration(in tenant: TenantID) -> Client {
        Client(
            tenant: tenant, id: id, displayName: displayName, redirectURIs: redirectURIs, logoutURIs: redirectURIs,
            resources: resources, permissions: permissions, isBroker: isBroker)
    }

    /// The clients of every new tenant: the device's broker, command line and home screen, and the tools of
    /// administrators. The broker has the id that Entra uses for its broker. The command line and the home screen are
    /// installed with the broker and are ordinary apps.
    static let ofEveryTenant = [
        WellKnownClient(
            WellKnownApplication.broker, "Authentication Broker",
            redirectURIs: [
                "http://localhost", "http://127.0.0.1",
                "ms-appx-web://Microsoft.AAD.BrokerPlugin/\(WellKnownApplication.broker)",
                "msauth://Microsoft.AAD.BrokerPlugin",
            ],
            resources: [ResourceCatalogue.graphApplication, ResourceCatalogue.deviceRegistrationApplication],
            isBroker: true),
        WellKnownClient(
            CommandLineApp.clientID, "Baton command line", redirectURIs: [CommandLineApp.redirectURI],
            resources: ResourceCatalogue.standard),
        WellKnownClient(
            HomeScreenApp.clientID, "Home screen", redirectURIs: [HomeScreenApp.redirectURI],
            resources: ResourceCatalogue.standard),
        WellKnownClient(
            AdministrationApp.clientID, "Baton administration", redirectURIs: [AdministrationApp.redirectURI],
            resources: [ResourceCatalogue.administrationApplication]),
    ].compactMap(\.self)
}
