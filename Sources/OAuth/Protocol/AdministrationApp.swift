// SPDX-License-Identifier: Apache-2.0

/// The app registration of `baton admin` and of other tools that administer a server through the network. Every
/// organisation has it.
package enum AdministrationApp {
    package static let clientID = "b7a70000-0000-4000-8000-00000000ad02"
    /// The loopback address, with any port (RFC 8252 section 7.3).
    package static let redirectURI = "http://127.0.0.1"
}
