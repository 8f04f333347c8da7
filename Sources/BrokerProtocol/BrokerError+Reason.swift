// SPDX-License-Identifier: Apache-2.0

extension BrokerError {
    /// A stable code of Baton's own that distinguishes the causes of one error code. It appears in logs, in
    /// `baton doctor` and in the errors that apps get. Microsoft's clients ignore it.
    package struct Reason: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// What an administrator can do; nil if the reason is not a fault, or if its remedy is given elsewhere.
        package var remedy: String? {
            switch self {
            case .unknownClient:
                "Push the app with this clientId by the MDM (in the environment of baton-dev up: baton-dev run-app), or "
                    + "correct the client id in the app."
            case .otherApp:
                "Start the app in the way that its level in the registry requires, or correct the level."
            case .blocked: "Remove the app from the profile's AppBlockList if it may use single sign-on."
            case .unlisted: "Put the app on the profile's AppAllowList or AppPrefixAllowList."
            case .outsideBrowser:
                "Do not start the host yourself: the browser starts it, and baton-agent starts the browser."
            case .cookiesUnlisted: "Add the app to the profile's AppCookieSSOAllowList if it may request them."
            case .addressUnlisted: "Add a prefix of the address to URLs of the single sign-on profile."
            case .pageBlocked: "Allow the address in the payload org.baton.browser, if workers need it."
            case .notShared: "See the findings about shared mode."
            case .agentMissing: "Start baton-agent in the graphical session."
            case .browserNotConfined: "Install bubblewrap, and allow unprivileged user namespaces."
            case .browserPolicyUnknown:
                "Install a version of Baton that supports the installed browser, or the browser's former version."
            case .browserUnavailable, .browserBroke, .pageNotShown:
                "Check browser.command of baton-agent, and that the agent has a screen; see the agent's log."
            case .programBroke: "Read the log of the program in browser.command of baton-agent."
            case .pageUnconfirmed: "Look for messages about the browser's extension in the log of baton-agent."
            case .erasersTooMany: "End the app's processes that are not needed, or register fewer erasers in each."
            case .readersTooMany: "Use one of the app's readers."
            case .deviceDisabled: "Ask an administrator to run: baton admin device enable."
            case .deviceRemoved:
                "Ask an operator of the device to run: baton device leave, then: baton device join."
            default: nil
            }
        }

        /// The message of an error with this reason: cause, then remedy. It is empty if the message depends on the request.
        package var message: String {
            switch self {
            case .unknownClient:
                "This client id belongs to no app on the device. Install the app through the MDM, or in the environment of "
                    + "baton-dev up with: baton-dev run-app."
            case .blocked: "The profile's AppBlockList names this app. Remove it from the list to allow it."
            case .unlisted:
                "No list of the profile permits this app. Name it in AppAllowList or AppPrefixAllowList."
            case .signedInOffline:
                "The worker is signed in without the server, so there are no tokens. Use the account; request a token "
                    + "interactively when the network is back."
            case .accountRemoved: "The app has removed the account. Sign in interactively."
            case .silentLogin:
                "A login shows a page, but is_silent of the request forbids one. Send it as false, or use refresh."
            case .programBroke:
                "The program that acts as the browser (browser.command of baton-agent) ended with an error before anybody "
                    + "had signed in. Read its log: it says what is missing. With baton-dev up --person, that is "
                    + "logs/person.log of the environment."
            case .deviceDisabled, .deviceRemoved:
                [Self.meanings.first { $0.key == self }?.value, remedy].compactMap(\.self).joined(separator: " ")
            default: ""
            }
        }

        /// The meaning of each reason that this broker sends; `docs/reference/errors.md` is generated from it.
        package static let meanings: KeyValuePairs<Reason, String> = [
            .unknownClient: "No app on the device is registered with the client id.",
            .otherApp: "The client id belongs to another app.",
            .blocked: "The profile's block list names the app.",
            .unlisted: "No list of the profile permits the app.",
            .notShared: "The device is personal, or shared mode is not complete.",
            .nobody: "Nobody is signed in on the device.",
            .signedInOffline:
                "The worker signed in offline, so there are no tokens until the server can be reached.",
            .agentMissing: "No baton-agent is connected, so no browser can be opened.",
            .browserUnavailable: "The agent could not start the browser.",
            .browserBroke: "The browser ended with an error.",
            .programBroke: "The program that acts as the browser ended with an error.",
            .browserNotConfined: "The machine cannot confine a browser.",
            .browserPolicyUnknown: "The installed browser does not know a policy on which Baton relies.",
            .alreadySignedIn:
                "A worker is signed in, and can neither be asked for credentials again nor create an account.",
            .silentLogin: "The login request does not allow a page to be shown.",
            .accountRemoved: "The app has removed the account, and nobody has signed in through it since.",
            .deviceDisabled: "The directory has disabled the device.",
            .deviceRemoved: "The directory does not list the device any more.",
            .otherAccount: "Another account is signed in on the device.",
            .outsideBrowser:
                "A program that the worker's browser did not start acts as the browser's native messaging host.",
            .cookiesUnlisted:
                "The app requests a browser's headers, but the profile's AppCookieSSOAllowList does not name it.",
            .addressMalformed:
                "The address for which a browser's headers are requested can be read in more than one way.",
            .addressOfOther: "The address does not belong to the identity platform that the device is joined to.",
            .addressUnlisted: "No single sign-on profile lists the address.",
            .pageInvalid: "The address of a page cannot be opened by a browser.",
            .pageBlocked: "The configuration of the worker's browser blocks the address of a page.",
            .pageLimit: "More pages were requested than the worker's browser opens in a minute.",
            .pageNotShown: "The worker's browser could not be started, or ended before it showed the page.",
            .pageUnconfirmed: "The worker's browser did not confirm in time that it shows the page.",
            .erasersTooMany:
                "The app already has the maximum number of erasers, or of processes that have registered them.",
            .readersTooMany: "The app already has the maximum number of readers of accounts.",
        ]

        package static let unknownClient = Reason(rawValue: "unknown_client")
        package static let otherApp = Reason(rawValue: "other_app")
        package static let blocked = Reason(rawValue: "app_blocked")
        package static let unlisted = Reason(rawValue: "app_unlisted")
        package static let notShared = Reason(rawValue: "device_not_shared")
        package static let nobody = Reason(rawValue: "nobody_signed_in")
        package static let signedInOffline = Reason(rawValue: "signed_in_offline")
        package static let agentMissing = Reason(rawValue: "agent_missing")
        package static let browserUnavailable = Reason(rawValue: "browser_unavailable")
        package static let browserBroke = Reason(rawValue: "browser_broke")
        package static let programBroke = Reason(rawValue: "browser_program_ended")
        package static let browserNotConfined = Reason(rawValue: "browser_not_confined")
        package static let browserPolicyUnknown = Reason(rawValue: "browser_policy_unknown")
        package static let alreadySignedIn = Reason(rawValue: "already_signed_in")
        package static let silentLogin = Reason(rawValue: "silent_login")
        package static let accountRemoved = Reason(rawValue: "account_removed")
        package static let deviceDisabled = Reason(rawValue: "device_disabled")
        package static let deviceRemoved = Reason(rawValue: "device_removed")
        package static let otherAccount = Reason(rawValue: "other_account")
        package static let outsideBrowser = Reason(rawValue: "host_outside_browser")
        package static let cookiesUnlisted = Reason(rawValue: "cookies_unlisted")
        package static let addressMalformed = Reason(rawValue: "address_malformed")
        package static let addressOfOther = Reason(rawValue: "address_of_other_platform")
        package static let addressUnlisted = Reason(rawValue: "address_unlisted")
        package static let pageInvalid = Reason(rawValue: "page_invalid")
        package static let pageBlocked = Reason(rawValue: "page_blocked")
        package static let pageLimit = Reason(rawValue: "page_limit")
        package static let pageNotShown = Reason(rawValue: "page_not_shown")
        package static let pageUnconfirmed = Reason(rawValue: "page_unconfirmed")
        package static let erasersTooMany = Reason(rawValue: "erasers_too_many")
        package static let readersTooMany = Reason(rawValue: "readers_too_many")
    }

    /// Creates an error with the message of its reason.
    package init(_ code: Code, because reason: Reason) { self.init(code, reason.message, reason: reason) }
}
