// SPDX-License-Identifier: Apache-2.0

extension Problem {
    /// Code, cause and remedy.
    package var entry: Entry {
        switch self {
        case .clientIDBlank:
            Entry(
                .internalErrorInvalidParameter, "The clientId is blank.",
                remedy: "Pass the client id that is registered for the app.")
        case .redirectURI:
            Entry(
                .internalErrorInvalidRedirectURI, "The redirect URI cannot be used.",
                remedy: "Register and pass msauth.<app id>://auth, with the app id that the MDM uses.")
        case .authority:
            Entry(
                .internalErrorInvalidParameter, "The authority cannot be used.",
                remedy: "Give one of the form https://<host>/<tenant>.")
        case .authorityClass:
            Entry(
                .internalErrorInvalidParameter, "No authority of this class can be made from a URL.",
                remedy: "Use MSALAADAuthority(url:).")
        case .tenantUnexpected:
            Entry(
                .internalErrorInvalidParameter, "A tenant was given for a multi-tenant audience.",
                remedy: "Leave it out, or use azureADMyOrgOnlyAudience.")
        case .tenantMissing:
            Entry(
                .internalErrorInvalidParameter, "azureADMyOrgOnlyAudience needs a tenant.",
                remedy: "Pass it as rawTenant.")
        case .authenticationScheme:
            Entry(
                .internalErrorInvalidParameter, "The authentication scheme is not Bearer.",
                remedy: "Do not change authenticationScheme: only bearer tokens are supported.")
        case .scopeMalformed:
            Entry(
                .internalErrorInvalidParameter, "A scope is blank, or contains white space.",
                remedy: "Pass each scope as a separate element of the list.")
        case .scopeReserved:
            Entry(
                .internalErrorInvalidParameter,
                "The scopes openid, profile, offline_access and the client id may not be requested.",
                remedy: "Leave them out; the library adds what is needed.")
        case .claims:
            Entry(
                .internalErrorInvalidParameter, "The claims request cannot be used.",
                remedy: "Write it as OpenID Connect Core section 5.5 says, with the keys id_token and access_token.")
        case .webParametersMissing:
            Entry(
                .internalErrorInvalidParameter, "signoutFromBrowser needs web parameters.",
                remedy: "Create MSALSignoutParameters with them.")
        case .accountUnnamed:
            Entry(
                .internalErrorInvalidParameter, "The account has no identifier.",
                remedy: "Pass the account that getCurrentAccount returns.")
        case .accountMissing:
            Entry(
                .interactionRequired, "No account was given.",
                remedy: "Sign in with acquireToken, or pass the account that getCurrentAccount returns.")
        case .accountQueryBlank:
            Entry(
                .internalErrorInvalidParameter, "The account was requested with a blank name or id.",
                remedy: "Give its name or id.")
        case .accountNotSignedIn:
            Entry(
                .internalErrorAccountRequired, "This account is not signed in.",
                remedy: "Call getCurrentAccount to learn who is signed in.")
        case .resourceBlank:
            Entry(
                .internalErrorInvalidParameter, "The resource is blank.",
                remedy: "Pass the resource that the token is for.")
        case .deviceNotShared:
            Entry(
                .internalErrorInvalidParameter, "The device is not shared.",
                remedy: "Request a token for a user instead.")
        default: linkEntry
        }
    }

    private var linkEntry: Entry {
        switch self {
        case .brokerSwitchedOff:
            Entry(
                .internalBrokerNotAvailable, "The app has switched the broker off.",
                remedy: "Set MSALGlobalConfig.brokerAvailability to .auto and bypassRedirectURIValidation to false.")
        case .personalDevice:
            Entry(
                .internalBrokerNotAvailable, "This device has no broker.",
                remedy: "Install Baton's broker; this library signs in only through the broker.")
        case .brokerSilent:
            Entry(
                .internalBrokerNotAvailable, "The broker of this device does not answer.",
                remedy: "Check that batond runs; then retry.")
        case .brokerUntrusted:
            Entry(
                .internalBrokerNotAvailable, "An untrusted process listens on the broker's socket.",
                remedy: "Check BATON_SOCKET and the socket's owner.")
        case .brokerIncompatible:
            Entry(
                .internalBrokerNotAvailable, "The broker and this library have no protocol version in common.",
                remedy: "Update the library or the broker, whichever is older.")
        case .connectionEnded:
            Entry(
                .internalErrorBrokerResponseNotReceived, "The connection to the broker ended before its answer.",
                remedy: "Call getCurrentAccount to learn the state; then retry.")
        case .brokerTooLate:
            Entry(
                .internalErrorBrokerResponseNotReceived, "The broker did not answer in time.",
                remedy: "Call getCurrentAccount to learn the state; then retry.")
        case .brokerCorrupted:
            Entry(
                .internalErrorBrokerCorruptedResponse, "The broker's answer is not a message of the protocol.",
                remedy: "Update the library and the broker.")
        case .processForked:
            Entry(
                .internalBrokerNotAvailable, "This process is a child of fork() and has no connection to the broker.",
                remedy: "Call MSAL in the parent, or start a program in the child with exec.")
        case .callsTooMany:
            Entry(
                .internalErrorUnexpected, "Too many calls are waiting for the broker.",
                remedy: "Wait for some of them; then retry.")
        case .parametersTooLong:
            Entry(
                .internalErrorInvalidParameter, "The parameters of the call are longer than the broker accepts.",
                remedy: "Keep claims, scopes and query parameters under 64 KiB each, and under 128 KiB together.")
        case .answerUnreadable:
            Entry(
                .internalErrorBrokerUnknown, "The broker's answer cannot be understood.",
                remedy: "Update the library and the broker.")
        case .severalAccounts:
            Entry(
                .internalErrorAmbiguousAccount, "The broker lists several accounts, but only one is possible.",
                remedy: "Update the broker; until then use accountsFromDevice.")
        case .tokenOfAnother:
            Entry(
                .internalErrorMismatchedUser, "The token belongs to another account.",
                remedy: "Call getCurrentAccount to learn who is signed in.")
        case .scopesDeclined:
            Entry(
                .serverDeclinedScopes, "The identity platform granted fewer scopes than were requested.",
                remedy:
                    "Use MSALGrantedScopesKey's scopes and MSALInvalidResultKey's token, or request fewer scopes."
            )
        case .nothingCame:
            Entry(
                .internalErrorUnexpected, "The call returned neither a value nor an error.",
                remedy: "Look at the subclass that overrides the call.")
        default: refusalEntry
        }
    }

    private var refusalEntry: Entry {
        switch self {
        case .interactionRequired:
            Entry(
                .interactionRequired, "Nobody is signed in, or user interaction is required.",
                remedy: "Call getCurrentAccount; sign in with acquireToken.")
        case .signInCanceled: Entry(.userCanceled, "The sign-in was cancelled.", remedy: "Offer to sign in again.")
        case .signInRunning:
            Entry(
                .internalErrorInteractiveSessionAlreadyRunning, "Somebody is signing in on this device already.",
                remedy: "Wait until that sign-in has ended.")
        case .otherWorker:
            Entry(
                .internalErrorMismatchedUser, "Another worker is signed in on this device.",
                remedy: "Sign out first: getCurrentAccount returns the worker to sign out.")
        case .joinRequired:
            Entry(
                .workplaceJoinRequired, "The device is not joined to the organisation.",
                remedy: "Ask a Cloud Device Administrator to run: baton device join.")
        case .sharedModeIncomplete:
            Entry(
                .internalBrokerNotAvailable, "The device is not in shared mode, or shared mode is incomplete.",
                remedy: "Run baton device status to see what is missing.")
        case .appLocked:
            Entry(
                .internalBrokerNotAvailable,
                "The app has not erased the data of a former worker and is locked until that data is gone.",
                remedy:
                    "Start the app, so that its eraser runs. If it has none or stays locked, run on the device: baton doctor."
            )
        case .appUnregistered:
            Entry(
                .internalErrorUnauthorizedClient, "The app is not registered, on the device or with the organisation.",
                remedy: "Install the app through the MDM, with the app's configuration.")
        case .redirectURIUnregistered:
            Entry(
                .internalErrorInvalidRedirectURI, "The redirect URI is not the registered one.",
                remedy: "Use msauth.<app id>://auth.")
        case .redirectSchemeUnregistered:
            Entry(
                .internalErrorRedirectSchemeNotRegistered, "The redirect URI's scheme is not registered.",
                remedy: "Use msauth.<app id>://auth.")
        case .authorityRefused:
            Entry(
                .internalErrorFailedAuthorityValidation, "This device does not serve the authority.",
                remedy: "Use the organisation's authority, or https://login.microsoftonline.com/common.")
        case .parameterRefused:
            Entry(
                .internalErrorInvalidParameter, "The broker refuses a parameter.",
                remedy: "Correct the parameter that the message names.")
        case .accountRefused:
            Entry(
                .internalErrorAccountRequired, "The request to the broker contains no account.",
                remedy: "Pass the account that getCurrentAccount returns.")
        case .windowMissing:
            Entry(.internalErrorNoViewController, "No page can be shown.", remedy: "Start baton-agent.")
        case .protectionPolicy:
            Entry(
                .serverProtectionPoliciesRequired, "The app must be under a protection policy first.",
                remedy: "Ask the administrator.")
        case .passwordReset:
            Entry(
                .serverInvalidRequestResetPasswordRequired, "The person must reset the password.",
                remedy: "Reset it first.")
        default: serverEntry
        }
    }

    private var serverEntry: Entry {
        switch self {
        case .networkFailed:
            Entry(
                .internalErrorUnhandledResponse, "The identity platform cannot be reached.",
                remedy: "Check the network; retry."
            )
        case .serverStatus:
            Entry(
                .internalErrorUnexpectedHttpResponse, "The identity platform answered with an unexpected HTTP status.",
                remedy: "Look at the identity platform's log.")
        case .serverFailed:
            Entry(folded: .serverError, "The identity platform failed.", remedy: "Retry; look at the platform's log.")
        case .serverAnswer:
            Entry(
                .internalErrorInvalidResponse, "The identity platform's answer cannot be read.",
                remedy: "Look at the identity platform's log.")
        case .serverRefused:
            Entry(
                .internalErrorAuthorizationFailed, "The identity platform refused the sign-in.",
                remedy: "Look up the AADSTS number in the message.")
        case .requestInvalid:
            Entry(
                .internalErrorInvalidRequest, "The identity platform rejected the request as invalid.",
                remedy: "Look up the AADSTS number in the message.")
        case .clientInvalid:
            Entry(
                .internalErrorInvalidClient, "The identity platform refuses the app.",
                remedy: "Look up the AADSTS number in the message.")
        case .grantInvalid:
            Entry(
                .internalErrorInvalidGrant,
                "The credential that was sent to the identity platform has expired or was revoked.",
                remedy: "Sign in again.")
        case .scopeInvalid:
            Entry(
                .internalErrorInvalidScope,
                "The identity platform does not know any of the scopes, or does not know the resource.",
                remedy: "Request permissions of one resource that the app is registered for.")
        case .brokerAnswerMissing:
            Entry(.internalErrorBrokerResponseNotReceived, "The broker got no answer.", remedy: "Retry.")
        case .brokerAnswerCorrupted:
            Entry(
                .internalErrorBrokerCorruptedResponse, "The broker's answer is damaged.", remedy: "Update the broker.")
        case .brokerAnswerUnknown:
            Entry(
                .internalErrorBrokerUnknown, "The broker's answer is of an unknown kind.",
                remedy: "Update the library and the broker.")
        default:
            Entry(
                .internalErrorUnexpected, "The broker failed.",
                remedy: "Look at its log; update the library and the broker.")
        }
    }
}
