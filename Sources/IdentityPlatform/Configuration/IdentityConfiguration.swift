// SPDX-License-Identifier: Apache-2.0

/// The operator's settings for the identity platform.
package struct IdentityConfiguration: Sendable {
    package var names: Names
    package var passwordCost: PasswordCost
    package var lifetimes: Lifetimes
    /// The number of passwords that are hashed at the same time.
    package var hashingThreads: Int
    /// How many passwords each thread may have in its queue, including the password that is being hashed.
    package var hashingQueue: Int
    /// How many signed requests of one device, person or session a node accepts within ten minutes.
    package var requestsPerCaller = 20_000
    package var devices = DeviceConfiguration()
    package var compatibility = Compatibility()
    /// The path of the list of breached passwords (``BreachedPasswords``); nil if there is none.
    package var breachedPasswords: String?
    package var retention = RetentionPeriods()
    package var signingKeys = KeyConfiguration()

    package init(
        names: Names, passwordCost: PasswordCost = .standard, lifetimes: Lifetimes = Lifetimes(),
        hashingThreads: Int = 2, hashingQueue: Int = 64
    ) {
        self.names = names
        self.passwordCost = passwordCost
        self.lifetimes = lifetimes
        self.hashingThreads = hashingThreads
        self.hashingQueue = hashingQueue
    }

    /// The platform's host names, in lower case, and the port that clients see.
    package struct Names: Sendable {
        package var login: String
        package var deviceRegistration: String
        package var graph: String
        package var port: Int
        /// The name at which administrators and their programs reach the server over HTTPS; nil if they cannot.
        package var administration: String?
        /// The port that belongs to ``administration``.
        package var administrationPort: Int
        package var aliases: Aliases

        package init(
            login: String, deviceRegistration: String, graph: String, port: Int = 443, administration: String? = nil,
            administrationPort: Int = Self.standardAdministrationPort, aliases: Aliases = Aliases()
        ) {
            self.login = login.lowercased()
            self.deviceRegistration = deviceRegistration.lowercased()
            self.graph = graph.lowercased()
            self.port = port
            self.administration = administration?.lowercased()
            self.administrationPort = administrationPort
            self.aliases = aliases
        }

        package static let standardAdministrationPort = 8445

        /// Additional host names under which clients with built-in host names reach the platform. The URLs that the
        /// platform writes contain only its main names.
        package struct Aliases: Sendable {
            package var login: [String]
            package var deviceRegistration: [String]
            package var graph: [String]

            package init(login: [String] = [], deviceRegistration: [String] = [], graph: [String] = []) {
                self.login = login.map { $0.lowercased() }
                self.deviceRegistration = deviceRegistration.map { $0.lowercased() }
                self.graph = graph.map { $0.lowercased() }
            }
        }

        /// Returns `https://host`, with the port if it is not 443.
        package func origin(of host: String) -> String { "https://\(host)\(port == 443 ? "" : ":\(port)")" }
    }

    /// How long issued codes, tokens and sessions are valid.
    package struct Lifetimes: Sendable {
        package var authorizationCode: Duration = .seconds(300)
        package var accessToken: Duration = .seconds(3600)
        /// The lifetime of an access token on a shared device. A resource that validates tokens without asking the
        /// platform may accept the token for this long after the sign-out.
        package var sharedDeviceAccessToken: Duration = .seconds(600)
        package var refreshToken: Duration = .seconds(14 * 86400)
        /// The time within which a person must enter a device code.
        package var deviceCode: Duration = .seconds(900)
        /// The interval at which a client should poll for its device code.
        package var devicePolling: Duration = .seconds(5)
        package var browserSession: Duration = .seconds(86400)

        package init() {}
    }
}
