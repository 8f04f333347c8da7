// SPDX-License-Identifier: Apache-2.0
import MDMProtocol

/// The configuration file of the environment's server. docs/reference/configuration.md describes the keys of all files
/// here.
struct ServerFile: Encodable {
    let directory: String
    let address = "127.0.0.1"
    let port: UInt16
    let mdmPort: UInt16
    let administrationPort: UInt16?
    let names: Names
    /// A quarter of the usual cost, because this is a demonstration on one machine, whose passwords are in a file
    /// anyway.
    let passwordCost = 13
    let logLevel = "info"

    struct Names: Encodable {
        let login = EnvironmentFacts.login
        let deviceRegistration = EnvironmentFacts.registration
        let graph = EnvironmentFacts.graph
        let mdm = EnvironmentFacts.mdm
        let administration: String?
    }

    init(layout: EnvironmentLayout, facts: EnvironmentFacts) {
        directory = layout.server
        port = facts.port
        mdmPort = facts.mdmPort
        administrationPort = facts.administrationPort
        names = Names(administration: facts.administrationPort.map { _ in EnvironmentFacts.administration })
    }
}

struct DeviceFile: Encodable {
    let directory: String
    let runtimeDirectory: String
    let managedMarker: String
    let trustRoots: String
    let resolve: [String: String]
    let checkInInterval = 60
    let logLevel = "info"

    init(layout: EnvironmentLayout, facts: EnvironmentFacts) {
        directory = layout.device
        runtimeDirectory = layout.run
        managedMarker = layout.managedMarker
        trustRoots = layout.trustRoots
        resolve = facts.resolution
    }
}

struct AgentFile: Encodable {
    let socket: String
    let browser: Browser
    let trash: String
    let logLevel = "info"

    struct Browser: Encodable {
        let command: [String]
        let kind: String?
        let host: String?
        let readable: [String]?
        let profiles: String
    }

    /// Makes the configuration of the environment's agent.
    ///
    /// - Parameter host: the path of `baton-browser-host`; nil if the agent does not configure the browser.
    /// - Throws: as ``ProgramFiles/runtimeToShow()``.
    init(layout: EnvironmentLayout, command: [String], host: String?) throws {
        socket = layout.run + "/agent.sock"
        trash = layout.trash
        browser = Browser(
            command: command, kind: host == nil ? nil : "chromium", host: host,
            readable: host == nil ? nil : try ProgramFiles.runtimeToShow().map { [$0] }, profiles: layout.profiles)
    }
}

extension HomeScreenPayload {
    /// The environment's home screen: a tile for each sample app with a window.
    ///
    /// - Parameters:
    ///   - wardRound: the program of the sample app with a window.
    ///   - configuration: the path of an app's configuration, by its number.
    init(_ facts: EnvironmentFacts, wardRound: String, configuration: (Int) -> String) {
        self.init(
            organisation: EnvironmentFacts.organisation, contact: "Help desk 4242",
            preferredDomain: EnvironmentFacts.domain,
            tiles: facts.apps.filter { $0.sample == .wardRound }.map {
                Tile(
                    title: $0.title, program: wardRound, arguments: ["--config", configuration($0.number)],
                    bundleID: $0.bundleID)
            })
    }
}

struct AppFile: Encodable {
    let clientId: String
    let redirectUri: String
    let authority: String
    let graphEndpoint: String
    let scopes = ["User.Read"]
    let caFile: String
    let resolve: [String: String]
    let dataFolder: String

    init(layout: EnvironmentLayout, facts: EnvironmentFacts, tenantID: String, app: EnvironmentFacts.App) {
        clientId = app.clientID
        redirectUri = app.redirectURI
        authority = facts.loginURL + "/" + tenantID
        graphEndpoint = facts.graphURL
        caFile = layout.trustRoots
        resolve = facts.resolution
        dataFolder = layout.data(ofApp: app.number)
    }
}
