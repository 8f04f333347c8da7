// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// The first-party applications that a new tenant gets as ordinary registrations, under Entra's own ids, so that
/// foreign clients work unchanged and no code knows an application by its id.
package struct WellKnownClient: Sendable {
    package let id: String
    let displayName: String
    let redirectURIs: [String]
    let resources: [ClientID]
    var isBroker = false

    /// The broker on the device, and Entra's name for it.
    package static let broker = WellKnownClient(
        id: WellKnownApplication.broker, displayName: "Authentication Broker",
        redirectURIs: [
            "http://localhost", "http://127.0.0.1",
            "ms-appx-web://Microsoft.AAD.BrokerPlugin/\(WellKnownApplication.broker)",
        ],
        resources: [ResourceCatalogue.graphApplication, ResourceCatalogue.deviceRegistrationApplication], isBroker: true
    )

    /// The command line of the device, which comes with the broker and is an app like every other.
    static let commandLine = WellKnownClient(
        id: CommandLineApp.clientID, displayName: "Baton command line",
        redirectURIs: [CommandLineApp.redirectURI], resources: ResourceCatalogue.standard)

    static let compatibilityPack: [WellKnownClient] = [broker, commandLine]
}
