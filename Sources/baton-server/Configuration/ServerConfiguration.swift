// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import Logging

/// The server's configuration file; every key is documented in `docs/configuration.md`, an unknown one is an error.
struct ServerConfiguration: Sendable {
    /// Where the state lives: `ca/`, `identity.sqlite`, `mdm.sqlite`, `admin.sock`.
    let directory: String
    /// The address that both listeners bind.
    let address: String
    /// The port of the main TLS listener, which is also the one that clients see.
    let port: Int
    /// The port of the MDM listener.
    let mdmPort: Int
    let names: Names
    let logLevel: Logger.Level
    /// log₂ of scrypt's N.
    let passwordCost: Int
    /// Seconds, at most, between two messages on a device's line.
    let keepAlive: Int
    /// What older clients need; all of it is off unless it is turned on here.
    let compatibility: Compatibility
    /// The file of passwords that are known from breaches; nil for none.
    let breachedPasswords: String?
    /// How many days lines of the audit log are kept.
    let auditDays: Int
    let limits: Limits
    /// Seconds that a device which signs in by a code waits between two questions.
    let devicePolling: Int
    let signingKeys: KeyConfiguration

    /// What the connections of each TLS listener may take.
    struct Limits: Sendable {
        /// Seconds, at most, that a connection keeps the server waiting; see ``ConnectionDeadlines``.
        let requestDeadline: Int
        /// How many connections a listener holds at most; nil for what the limit of open files leaves.
        let connections: Int?
        /// How many of them one address has at most; nil for a quarter.
        let connectionsPerAddress: Int?
    }

    /// The host names that the listeners answer to.
    struct Names: Sendable {
        let login: String
        let deviceRegistration: String
        let graph: String
        let mdm: String
        /// What the identity platform answers to beside its names.
        let aliases: IdentityConfiguration.Names.Aliases

        var all: [String] {
            [login, deviceRegistration, graph, mdm] + aliases.login + aliases.deviceRegistration + aliases.graph
        }
    }
}
