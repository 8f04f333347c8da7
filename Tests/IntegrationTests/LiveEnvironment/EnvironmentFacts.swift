// SPDX-License-Identifier: Apache-2.0

/// An environment's people and apps, from the `environment.json` that `baton-dev up` writes.
struct EnvironmentFacts: Decodable, Sendable {
    let port: Int
    let people: [Person]
    let apps: [App]
    let tenantID: String
    /// The identifier of the shared device profile.
    let profile: String

    struct Person: Decodable, Sendable {
        let userName: String
        let displayName: String
        let givenName: String
        let mobilePhone: String
        let password: String
    }

    struct App: Decodable, Sendable {
        let number: Int
        let clientID: String
        let bundleID: String

        var redirectURI: String { "msauth.\(bundleID)://auth" }
    }

    static let domain = "seaview.baton.test"
    var loginURL: String { "https://login.baton.test:\(port)" }
    var registrationURL: String { "https://enterpriseregistration.baton.test:\(port)" }
    var authority: String { "\(loginURL)/\(tenantID)" }
}
