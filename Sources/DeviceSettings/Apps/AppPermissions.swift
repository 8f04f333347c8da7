// SPDX-License-Identifier: Apache-2.0
package import MDMProtocol

/// The rules that decide which apps may use single sign-on. The MDM's profile sets these rules with the keys of the SSO
/// plug-in.
package struct AppPermissions: Sendable, Codable, Equatable {
    /// `AppAllowList`: bundle ids of apps that may use single sign-on, no matter who installed them.
    package var allowed: Set<String> = []
    /// `AppBlockList`: bundle ids of apps that may not use single sign-on. This overrides every other rule.
    package var blocked: Set<String> = []
    /// `AppPrefixAllowList`: prefixes of the bundle ids of apps that may use single sign-on; case-sensitive.
    package var allowedPrefixes: [String] = []
    /// `Enable_SSO_On_All_ManagedApps`: every app that the MDM installed may use single sign-on.
    package var allManaged = false

    package init() {}

    /// The result of the rules for an app.
    package enum Verdict: Sendable, Equatable {
        case permitted, blocked
        /// No list names the app, and no other rule permits it.
        case unlisted
    }

    /// Applies the rules to an app. The block list takes precedence. An app needs no list if the MDM configured its
    /// client (Microsoft's "MSAL apps need no listing"), or if the app comes with the broker. Every other app must be
    /// in the allow list, match a prefix or, if the MDM installed it, be permitted by the flag.
    package func verdict(on app: RegisteredApp) -> Verdict {
        if blocked.contains(app.bundleID) { return .blocked }
        switch app.source {
        case .management, .broker: return .permitted
        case .device:
            let isListed = allowed.contains(app.bundleID) || allowedPrefixes.contains(where: app.bundleID.hasPrefix)
            return isListed || (allManaged && app.isManaged) ? .permitted : .unlisted
        }
    }
}

extension AppPermissions {
    /// Reads the rules of every installed profile for the broker's extension. Lists are merged. The flag is on if at
    /// least one profile sets it and none clears it.
    ///
    /// - Throws: ``RegistryFailure`` with the key that has the wrong type, since a block list that cannot be read would
    ///   block no app.
    package init(_ profiles: [[String: PropertyList]]) throws(RegistryFailure) {
        var flags: [Bool] = []
        for data in profiles {
            allowed.formUnion(try data.names(.appAllowList))
            blocked.formUnion(try data.names(.appBlockList))
            allowedPrefixes += try data.names(.appPrefixAllowList)
            if let flag = try data.flag(.enableSSOOnAllManagedApps) { flags.append(flag) }
        }
        allManaged = !flags.isEmpty && flags.allSatisfy(\.self)
    }
}
