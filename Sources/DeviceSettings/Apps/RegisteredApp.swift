// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// One client of an app that may ask for accounts and tokens. An app may have several clients.
package struct RegisteredApp: Sendable, Codable, Equatable {
    /// Who declared the client.
    package enum Source: String, Sendable, Codable {
        /// The MDM, by the app's configuration.
        case management
        /// The device's own registry file.
        case device
        /// The broker itself: the app comes with it.
        case broker
    }

    package let bundleID: String
    package let clientID: String
    package let redirectURIs: [String]
    package var binding: AppBinding
    package let source: Source
    /// Whether the MDM installed the app.
    package let isManaged: Bool
    /// The folders in which this app keeps the worker's data; empty if the registration names none. Equal in all
    /// clients of the app.
    package var dataFolders: [DataFolder]

    package init(
        bundleID: String, clientID: String, redirectURIs: [String], binding: AppBinding = .session,
        source: Source = .management, isManaged: Bool = true, dataFolders: [DataFolder] = []
    ) {
        self.bundleID = bundleID
        self.clientID = clientID
        self.redirectURIs = redirectURIs
        self.binding = binding
        self.source = source
        self.isManaged = isManaged
        self.dataFolders = dataFolders
    }

    package init(bundleID: String, clientID: String, redirectURI: String) {
        self.init(bundleID: bundleID, clientID: clientID, redirectURIs: [redirectURI])
    }

    /// The command line program, which comes with the broker.
    package static let commandLine = RegisteredApp(
        bundleID: CommandLineApp.bundleID, clientID: CommandLineApp.clientID,
        redirectURIs: [CommandLineApp.redirectURI], source: .broker, isManaged: false)

    /// The home screen, which comes with the broker.
    package static let homeScreen = RegisteredApp(
        bundleID: HomeScreenApp.bundleID, clientID: HomeScreenApp.clientID,
        redirectURIs: [HomeScreenApp.redirectURI], source: .broker, isManaged: false)

    /// The client in whose name the native messaging host of the worker's browser makes requests; the client comes with
    /// the broker. It gets no tokens, so the identity platform need not know it.
    package static let browser = RegisteredApp(
        bundleID: "org.baton.browser", clientID: "8c4a3b0e-6d1f-4c52-9a7e-2f90d1b6e334", redirectURIs: [],
        binding: .browser, source: .broker, isManaged: false)
}
