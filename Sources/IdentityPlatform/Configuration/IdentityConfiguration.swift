// SPDX-License-Identifier: Apache-2.0

/// What an operator decides about the identity platform.
package struct IdentityConfiguration: Sendable {
    package var names: Names
    package var passwordCost: PasswordCost
    package var lifetimes: Lifetimes
    /// How many password hashes are computed at a time, and how many may wait for each.
    package var hashingThreads: Int
    package var hashingQueue: Int
    package var devices = DeviceConfiguration()
    package var compatibility = Compatibility()
    /// The file of passwords that are known from breaches (``BreachedPasswords``); nil for none.
    package var breachedPasswords: String?
    /// How long lines of the audit log are kept.
    package var auditRetention: Duration = .seconds(400 * 86400)
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

    /// The host names the platform answers to, in lower case, and the port that clients see.
    package struct Names: Sendable {
        package var login: String
        package var deviceRegistration: String
        package var graph: String
        package var port: Int
        package var aliases: Aliases

        package init(
            login: String, deviceRegistration: String, graph: String, port: Int = 443, aliases: Aliases = Aliases()
        ) {
            self.login = login.lowercased()
            self.deviceRegistration = deviceRegistration.lowercased()
            self.graph = graph.lowercased()
            self.port = port
            self.aliases = aliases
        }

        /// Names that are answered as well, for clients that have theirs built in; in what the platform writes it calls
        /// itself by the name alone.
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

        /// `https://host` with the port where it is not 443.
        package func origin(of host: String) -> String { "https://\(host)\(port == 443 ? "" : ":\(port)")" }
    }

    /// How long what the platform issues is good.
    package struct Lifetimes: Sendable {
        package var authorizationCode: Duration = .seconds(300)
        package var accessToken: Duration = .seconds(3600)
        /// On a device that several workers share: an access token already handed out outlives the sign-out by this.
        package var sharedDeviceAccessToken: Duration = .seconds(600)
        package var refreshToken: Duration = .seconds(14 * 86400)
        /// How long a person has to type the code of another screen.
        package var deviceCode: Duration = .seconds(900)
        /// How long the other screen waits between two questions.
        package var devicePolling: Duration = .seconds(5)
        package var browserSession: Duration = .seconds(86400)

        package init() {}
    }
}
