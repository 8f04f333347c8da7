// SPDX-License-Identifier: Apache-2.0

/// Whether workers share the device. Computed each time from the MDM's settings and the join; never stored.
package enum DeviceMode: Sendable, Codable, Equatable {
    /// Every one of the ``Switches`` is true.
    case shared
    /// Neither the profile nor the app configuration requests shared mode.
    case personal
    /// The profile or the app configuration requests shared mode, but something is missing: the device is neither
    /// shared nor personal.
    case incomplete(Missing)

    /// The facts that can be missing for shared mode, in the order in which an administrator provides them.
    package enum Missing: String, Sendable, Codable, CaseIterable {
        case brokerPackage, profile, appConfiguration, join
    }

    /// The facts from which the mode is derived.
    package struct Switches: Sendable, Equatable {
        /// The MDM installed the broker package.
        package var brokerManaged: Bool
        /// The extensible-SSO profile sets `sharedDeviceMode`.
        package var profile: Bool
        /// The broker's app configuration sets `sharedDeviceMode`.
        package var appConfiguration: Bool
        package var joined: Bool

        package init(brokerManaged: Bool, profile: Bool, appConfiguration: Bool, joined: Bool) {
            self.brokerManaged = brokerManaged
            self.profile = profile
            self.appConfiguration = appConfiguration
            self.joined = joined
        }
    }

    /// Derives the mode from the switches.
    package init(_ switches: Switches) {
        guard switches.profile || switches.appConfiguration else {
            self = .personal
            return
        }
        if !switches.brokerManaged {
            self = .incomplete(.brokerPackage)
        } else if !switches.profile {
            self = .incomplete(.profile)
        } else if !switches.appConfiguration {
            self = .incomplete(.appConfiguration)
        } else if !switches.joined {
            self = .incomplete(.join)
        } else {
            self = .shared
        }
    }

    /// `shared`, `personal` or `incomplete`.
    package var name: String {
        switch self {
        case .shared: "shared"
        case .personal: "personal"
        case .incomplete: "incomplete"
        }
    }

    /// A stable code for apps, administrators and tests.
    package var reason: String {
        switch self {
        case .shared: "shared"
        case .personal: "not_configured"
        case .incomplete(.brokerPackage): "broker_package_missing"
        case .incomplete(.profile): "profile_missing"
        case .incomplete(.appConfiguration): "app_configuration_missing"
        case .incomplete(.join): "not_joined"
        }
    }

    /// The administrator's next step; nil if nothing is missing.
    package var remedy: String? {
        switch self {
        case .shared: nil
        case .personal: "Push the SSO profile and the app configuration with sharedDeviceMode through the MDM."
        case .incomplete(.brokerPackage): "Push the broker package (org.baton.authenticator) through the MDM."
        case .incomplete(.profile): "Push the SSO profile with sharedDeviceMode through the MDM."
        case .incomplete(.appConfiguration): "Configure the broker package with sharedDeviceMode through the MDM."
        case .incomplete(.join): "Ask a Cloud Device Administrator to run: baton device join."
        }
    }
}
