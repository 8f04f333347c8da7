// SPDX-License-Identifier: Apache-2.0

/// The app registration of Baton's command line. It is built into the broker, so every broker and every organisation
/// has it.
package enum CommandLineApp {
    package static let bundleID = "org.baton.cli"
    package static let clientID = "5f0c1d5e-3f0b-4b7e-9d3a-6f1f2c9b7a10"
    package static let redirectURI = "msauth.\(bundleID)://auth"
}
