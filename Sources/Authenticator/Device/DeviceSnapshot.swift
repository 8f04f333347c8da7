// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
package import BrokerProtocol

/// What the session process must know of the device: mode, join, apps, and servers still to be told of ended sessions.
package struct DeviceSnapshot: Sendable, Codable, Equatable {
    package let mode: DeviceMode
    package let join: JoinRecord?
    package let apps: [RegisteredApp]
    /// Which of the apps may use single sign-on.
    package let rules: SSORules
    /// Why nobody can say which app is which; no app is served then.
    package let registryFailure: RegistryFailure?
    /// Ended sessions that the server may not know of yet.
    package var endedSessions: [EndedSession]

    /// - Parameter registry: the apps, or why they are not known.
    package init(
        mode: DeviceMode, join: JoinRecord?, registry: Result<AppRegistry, RegistryFailure>,
        endedSessions: [EndedSession]
    ) {
        self.mode = mode
        self.join = join
        switch registry {
        case .success(let registry): (apps, rules, registryFailure) = (registry.apps, registry.rules, nil)
        case .failure(let failure): (apps, rules, registryFailure) = ([], SSORules(), failure)
        }
        self.endedSessions = endedSessions
    }

    /// What apps are told of the device.
    ///
    /// - Throws: ``BrokerError`` while shared mode is incomplete: such a device is neither shared nor personal, and an
    ///   app must not take it for either.
    package func info() throws(BrokerError) -> DeviceInfo {
        switch mode {
        case .shared: info(.shared)
        case .personal: info(.personal)
        case .incomplete(let missing):
            throw BrokerError(
                missing == .join ? .workplaceJoinRequired : .brokerUnavailable,
                "Shared mode is not complete (\(mode.reason)). \(mode.remedy ?? "")")
        }
    }

    private func info(_ mode: DeviceInfo.Mode) -> DeviceInfo {
        DeviceInfo(
            mode: mode, reason: self.mode.reason, brokerVersion: BrokerVersion.current,
            registration: join.map {
                DeviceInfo.Registration(
                    deviceID: $0.deviceID, tenantID: $0.tenantID, cloudHost: $0.loginHost, thumbprint: $0.thumbprint)
            })
    }
}

extension JoinRecord {
    /// The identity platform's host, with its port where it has one.
    package var loginHost: String {
        loginURL.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first.map(String.init) ?? loginURL
    }
}

/// The device's registration in the organisation's directory.
package struct JoinRecord: Sendable, Codable, Equatable {
    package let tenantID: String
    package let deviceID: String
    /// `https://<host>[:<port>]` of the identity platform.
    package let loginURL: String
    /// The device certificate, PEM.
    package let certificate: String
    /// SHA-1 of the certificate in upper-case hexadecimal digits.
    package let thumbprint: String

    package init(tenantID: String, deviceID: String, loginURL: String, certificate: String, thumbprint: String) {
        self.tenantID = tenantID
        self.deviceID = deviceID
        self.loginURL = loginURL
        self.certificate = certificate
        self.thumbprint = thumbprint
    }
}

/// A session that ended here and that the server must hear of; it holds nothing of the worker but the session's number.
package struct EndedSession: Sendable, Codable, Equatable {
    /// The server's number of it; empty where the device does not know whether the server opened one in this epoch.
    package let serverSession: String
    package let epoch: Epoch
    /// Whether the identity platform's session in the browser ends, too.
    package var fromBrowser: Bool
    /// The app's id of its sign-out, under which the server hears of it; random.
    package var correlationID: String?

    package init(serverSession: String, epoch: Epoch, fromBrowser: Bool = false, correlationID: String? = nil) {
        self.serverSession = serverSession
        self.epoch = epoch
        self.fromBrowser = fromBrowser
        self.correlationID = correlationID
    }
}
