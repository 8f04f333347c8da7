// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import Logging
internal import Observability
internal import ProxyProtocol

/// The server's configuration file. Every key is documented in `docs/reference/configuration.md`; an unknown key is an
/// error.
struct ServerConfiguration: Sendable {
    /// The state directory: `ca/`, `identity.sqlite`, `mdm.sqlite`, `storage.key`, `packages/`, `admin.sock`, `lock`.
    let directory: String
    let database: DatabaseConfiguration
    /// The address that both listeners bind.
    let address: String
    /// The port of the main TLS listener, which is also the port that clients see.
    let port: Int
    /// The port of the MDM listener.
    let mdmPort: Int
    /// The port of the listener for administrators; unused without ``Names/administration``.
    let administrationPort: Int
    let names: Names
    let monitoring: Monitoring
    let passwords: Passwords
    /// Switches for older clients, all off by default.
    let compatibility: Compatibility
    /// The folder of the app packages, which several nodes may share. If nil, the packages are in the database if
    /// several nodes share it, and otherwise in `packages/` in the state directory.
    let packageFolder: String?
    let retention: Retention
    let limits: Limits
    let loadBalancer: LoadBalancer
    /// The polling interval in seconds for a device that signs in with a device code.
    let devicePolling: Int
    let signingKeys: KeyConfiguration

    /// What the log contains, in which format, and whether metrics are published.
    struct Monitoring: Sendable {
        let logLevel: Logger.Level
        let logFormat: LogFormat
        /// The listener for metrics; nil for none. Without it nothing is counted.
        let metrics: PlainListener?
    }

    struct Passwords: Sendable {
        /// log₂ of scrypt's N.
        let cost: Int
        /// The file of breached passwords; nil for none.
        let breached: String?
    }

    /// For how many days the server keeps what it no longer needs for its decisions.
    struct Retention: Sendable {
        /// The lines of the audit logs.
        var auditDays = 400
        /// Ended sessions.
        var sessionDays = 1
        /// Countersigned heads of receipt chains, except the newest of each chain.
        var receiptDays = 400
        /// Finished commands of device management.
        var commandDays = 400
    }

    /// The connection limits of each TLS listener.
    struct Limits: Sendable {
        /// The maximum number of seconds that the server waits for a client; see ``ConnectionDeadlines``.
        let requestDeadline: Int
        /// The maximum number of connections of a listener; nil for as many as the limit of open files allows.
        let connections: Int?
        /// The maximum number of connections from one address; nil for a quarter of the listener's connections.
        let connectionsPerAddress: Int?
        /// The maximum number of seconds between two messages on a device's push channel.
        let keepAlive: Int
    }

    /// How the server cooperates with a load balancer in front of it.
    struct LoadBalancer: Sendable {
        /// The load balancers' addresses. Each connection from these addresses begins with a header that names the
        /// client.
        var addresses: [AddressRange] = []
        /// For how many seconds a server that has been asked to stop still accepts connections.
        var drain = 0
        /// The listener for health checks; nil for none.
        var health: PlainListener?
    }

    /// The address of a listener without TLS and without authentication.
    struct PlainListener: Sendable {
        let address: String
        let port: Int
    }

    /// The host names that the listeners answer to.
    struct Names: Sendable {
        let login: String
        let deviceRegistration: String
        let graph: String
        let mdm: String
        /// The name at which administrators reach the server over HTTPS; nil if they use only the socket.
        let administration: String?
        /// Additional names that the identity platform answers to.
        let aliases: IdentityConfiguration.Names.Aliases

        var all: [String] {
            [login, deviceRegistration, graph, mdm] + [administration].compactMap(\.self)
                + aliases.login + aliases.deviceRegistration + aliases.graph
        }
    }
}

extension ServerConfiguration.Retention {
    /// The retention periods of the identity platform.
    var identity: RetentionPeriods {
        var periods = RetentionPeriods()
        periods.audit = .days(auditDays)
        periods.sessions = .days(sessionDays)
        periods.receipts = .days(receiptDays)
        return periods
    }
}

extension Duration {
    static func days(_ count: Int) -> Duration { .seconds(count * 86400) }
}
