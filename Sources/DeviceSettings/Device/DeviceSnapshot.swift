// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
package import BrokerProtocol
package import BrowserPolicies

/// The state of the device that the session process needs: mode, join, apps, and the ended sessions that must still be
/// reported to the server.
package struct DeviceSnapshot: Sendable, Codable, Equatable {
    package let mode: DeviceMode
    package let join: JoinRecord?
    package let apps: [RegisteredApp]
    /// The rules that decide which of the apps may use single sign-on.
    package let rules: AppPermissions
    /// The settings that decide for which addresses a browser is signed in.
    package let singleSignOn: SSOExtensionSettings
    /// The configuration that decides which addresses the worker's browser may open.
    package let browser: BrowserConfiguration
    /// Why the apps cannot be distinguished; nil if they can. While there is such a failure, no app is served.
    package let registryFailure: RegistryFailure?
    /// Ended sessions that may not have been reported to the server yet.
    package var endedSessions: [EndedSession]

    /// - Parameter registry: the apps, or why they are unknown.
    package init(
        mode: DeviceMode, join: JoinRecord?, registry: Result<AppRegistry, RegistryFailure>,
        singleSignOn: SSOExtensionSettings = SSOExtensionSettings(), browser: BrowserConfiguration = .standard,
        endedSessions: [EndedSession]
    ) {
        self.singleSignOn = singleSignOn
        self.mode = mode
        self.join = join
        self.browser = browser
        switch registry {
        case .success(let registry): (apps, rules, registryFailure) = (registry.apps, registry.rules, nil)
        case .failure(let failure): (apps, rules, registryFailure) = ([], AppPermissions(), failure)
        }
        self.endedSessions = endedSessions
    }

    /// Returns the information about the device that apps get.
    ///
    /// - Throws: ``BrokerError`` while shared mode is incomplete: the device is then neither shared nor personal, and
    ///   an app must not take it for either.
    package func info() throws(BrokerError) -> DeviceInfo {
        DeviceInfo(
            mode: try completeMode(), reason: mode.reason, brokerVersion: BrokerVersion.current,
            registration: join.map {
                DeviceInfo.Registration(
                    deviceID: $0.deviceID, tenantID: $0.tenantID, cloudHost: $0.loginHost, thumbprint: $0.thumbprint)
            })
    }

    /// Returns the device's mode as apps know it.
    ///
    /// - Throws: as ``info()``.
    package func completeMode() throws(BrokerError) -> DeviceInfo.Mode {
        switch mode {
        case .shared: .shared
        case .personal: .personal
        case .incomplete(let missing):
            throw BrokerError(
                missing == .join ? .workplaceJoinRequired : .brokerUnavailable,
                "Shared mode is not complete (\(mode.reason)). \(mode.remedy ?? "")")
        }
    }
}
