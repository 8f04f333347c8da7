// SPDX-License-Identifier: Apache-2.0

extension BrokerError {
    /// Which of several causes one code stands for, a stable word of Baton's own: for logs, `baton doctor` and whoever builds
    /// an app. Microsoft's clients do not look at it.
    package struct Reason: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// What an administrator does about it; nil where it is no fault, or is said elsewhere.
        package var remedy: String? {
            switch self {
            case .unknownClient: "Push the app with this clientId by the MDM, or correct the client id in the app."
            case .otherApp:
                "The id is another app's: start the app as what it is, or correct its level in the registry."
            case .blocked: "The profile's AppBlockList names the app; take it off there if it may."
            case .unlisted: "Put the app on the profile's AppAllowList or AppPrefixAllowList."
            case .notShared: "See the findings on the mode."
            case .agentMissing: "Start baton-agent in the graphical session."
            case .browserUnavailable, .browserBroke:
                "Check browser.command of baton-agent, and that it has a screen; its log says more."
            default: nil
            }
        }

        /// No app on the device is registered with the client id.
        package static let unknownClient = Reason(rawValue: "unknown_client")
        /// The client id is another app's.
        package static let otherApp = Reason(rawValue: "other_app")
        /// The profile's block list names the app.
        package static let blocked = Reason(rawValue: "app_blocked")
        /// No list of the profile permits the app.
        package static let unlisted = Reason(rawValue: "app_unlisted")
        /// The device is personal, or on its way to being shared.
        package static let notShared = Reason(rawValue: "device_not_shared")
        /// Nobody holds the device.
        package static let nobody = Reason(rawValue: "nobody_signed_in")
        /// The worker holds the device without the server, so that there are no tokens.
        package static let signedInOffline = Reason(rawValue: "signed_in_offline")
        /// No agent is there that could open a browser.
        package static let agentMissing = Reason(rawValue: "agent_missing")
        /// The agent could not start the browser.
        package static let browserUnavailable = Reason(rawValue: "browser_unavailable")
        /// The browser ended with an error.
        package static let browserBroke = Reason(rawValue: "browser_broke")
        /// Somebody else holds the device.
        package static let otherAccount = Reason(rawValue: "other_account")
    }
}
