// SPDX-License-Identifier: Apache-2.0

/// The app registration of Baton's home screen. It is built into the broker, so every broker and every organisation has
/// it.
package enum HomeScreenApp {
    package static let bundleID = "org.baton.home"
    package static let clientID = "b3a9a9e2-0f0f-4f0e-8f5b-6c1f8a4c7d21"
    package static let redirectURI = "msauth.\(bundleID)://auth"
}
