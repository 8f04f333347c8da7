// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import JSON

extension DeviceSnapshot {
    /// Returns the registered client with this id, regardless of who asks. The case of ids is ignored.
    package func registered(_ clientID: String) -> RegisteredApp? {
        // Most apps send their id as it is registered, and no two registered ids differ in case alone.
        if let app = apps.first(where: { $0.clientID == clientID }) { return app }
        let wanted = clientID.lowercased()
        return apps.first { $0.clientID.lowercased() == wanted }
    }

    /// Returns the client with this id if the identity may act as it.
    ///
    /// - Throws: ``BrokerError``, with a different reason for each case: the registry is unusable, the client id is not
    ///   registered, the client id belongs to a different app, or the profile's lists do not permit the app.
    package func app(_ clientID: String, for identity: AppIdentity) throws(BrokerError) -> RegisteredApp {
        let app = try registered(clientID, for: identity)
        if let refusal = refusal(of: app) { throw refusal }
        return app
    }

    /// Returns the client with this id if the identity may act as it, even if the profile's lists do not permit the
    /// app.
    ///
    /// - Throws: ``BrokerError`` if the registry is unusable, the client id is not registered or belongs to a different
    ///   app.
    package func registered(_ clientID: String, for identity: AppIdentity) throws(BrokerError) -> RegisteredApp {
        if let registryFailure { throw registryFailure.brokerError }
        guard let app = registered(clientID) else {
            throw BrokerError(.unauthorizedClient, because: .unknownClient)
        }
        guard identity.mayAct(as: app) else { throw Self.otherApp(app.binding) }
        return app
    }

    /// Checks whether an app with this identity may learn who is signed in, even though the app's request names no
    /// client.
    ///
    /// - Throws: ``BrokerError`` if the registry is unusable, or if the profile's lists permit none of the apps that
    ///   this identity may act as.
    package func checkAnyApp(for identity: AppIdentity) throws(BrokerError) {
        if let registryFailure { throw registryFailure.brokerError }
        guard apps.contains(where: { identity.mayAct(as: $0) && refusal(of: $0) == nil }) else {
            throw BrokerError(
                .unauthorizedClient,
                "The requesting app is not allowed on this device. Install the app through the MDM.",
                reason: .unknownClient)
        }
    }

    private func refusal(of app: RegisteredApp) -> BrokerError? {
        switch rules.verdict(on: app) {
        case .permitted: nil
        case .blocked:
            BrokerError(.unauthorizedClient, because: .blocked)
        case .unlisted:
            BrokerError(.unauthorizedClient, because: .unlisted)
        }
    }

    private static func otherApp(_ binding: AppBinding) -> BrokerError {
        let remedy: String
        switch binding {
        case .socket: remedy = "Start the app with its own socket, and name that socket in BATON_SOCKET."
        case .user: remedy = "Start the app as the user that the registry names."
        case .session: remedy = "Use the broker's socket for the session's apps, as one of its users."
        case .browser:
            return BrokerError(
                .unauthorizedClient,
                "The worker's browser has not started this program. Let the browser start its native messaging host.",
                reason: .outsideBrowser)
        }
        return BrokerError(
            .unauthorizedClient,
            "The broker cannot recognise the caller as the app that this client id belongs to. \(remedy)",
            reason: .otherApp)
    }

    /// Returns the extra information for an app, which says whether the MDM installed the app. The text is a JSON
    /// object whose values are strings.
    package func extraInfo(for clientID: String) -> String {
        let isManaged = registered(clientID)?.isManaged ?? false
        return JSONWriter.text(.object([Key.isCallerAppManaged.rawValue: .string(isManaged ? "1" : "0")]))
    }
}
