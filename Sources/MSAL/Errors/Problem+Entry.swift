// SPDX-License-Identifier: Apache-2.0

extension Problem {
    /// Code, cause and remedy.
    package var entry: Entry {
        switch self {
        case .clientIDBlank:
            Entry(.internalErrorInvalidParameter, "The clientId is blank.", "Pass the registered one.")
        case .redirectURI:
            Entry(
                .internalErrorInvalidRedirectURI, "The redirect URI cannot be used.",
                "Register and pass msauth.<app id>://auth, with the app id that the MDM knows.")
        case .authority:
            Entry(
                .internalErrorInvalidParameter, "The authority cannot be used.",
                "Give one of the form https://<host>/<tenant>.")
        case .authorityClass:
            Entry(
                .internalErrorInvalidParameter, "No authority of this class can be made of a URL.",
                "Use MSALAADAuthority(url:).")
        case .tenantUnexpected:
            Entry(
                .internalErrorInvalidParameter, "A tenant was given for an audience of many tenants.",
                "Leave it out, or use azureADMyOrgOnlyAudience.")
        case .tenantMissing:
            Entry(
                .internalErrorInvalidParameter, "azureADMyOrgOnlyAudience needs a tenant.", "Pass it as rawTenant.")
        case .authenticationScheme:
            Entry(
                .internalErrorInvalidParameter, "The authentication scheme is not Bearer.",
                "Leave authenticationScheme as it is: there are bearer tokens only.")
        case .scopeMalformed:
            Entry(
                .internalErrorInvalidParameter, "A scope is blank, or holds a blank inside.",
                "Pass scopes one by one.")
        case .scopeReserved:
            Entry(
                .internalErrorInvalidParameter,
                "The scopes openid, profile, offline_access and the client id may not be asked for.",
                "Leave them out; the library adds what is needed.")
        case .claims:
            Entry(
                .internalErrorInvalidParameter, "The claims request cannot be used.",
                "Write it as OpenID Connect Core section 5.5 says, with the keys id_token and access_token.")
        case .webParametersMissing:
            Entry(
                .internalErrorInvalidParameter, "signoutFromBrowser needs web parameters.",
                "Create MSALSignoutParameters with them.")
        case .accountUnnamed:
            Entry(
                .internalErrorInvalidParameter, "The account has no identifier.",
                "Take the one that getCurrentAccount gives.")
        case .accountMissing:
            Entry(
                .interactionRequired, "No account was given.", "Sign in with acquireToken, or take getCurrentAccount's."
            )
        case .accountQueryBlank:
            Entry(
                .internalErrorInvalidParameter, "The account is asked for with a blank text.", "Give its name or id.")
        case .accountNotSignedIn:
            Entry(
                .internalErrorAccountRequired, "This account is not signed in.",
                "Call getCurrentAccount to learn who is.")
        case .resourceBlank:
            Entry(.internalErrorInvalidParameter, "The resource is blank.", "Name what the token is for.")
        case .deviceNotShared:
            Entry(
                .internalErrorInvalidParameter, "The device is not shared.", "Ask for a token of a user instead.")
        default: linkEntry
        }
    }

    private var linkEntry: Entry {
        switch self {
        case .brokerSwitchedOff:
            Entry(
                .internalBrokerNotAvailable, "The app has switched the broker off.",
                "Set MSALGlobalConfig.brokerAvailability to .auto and bypassRedirectURIValidation to false.")
        case .personalDevice:
            Entry(
                .internalBrokerNotAvailable, "This device has no broker.",
                "Install Baton's broker; this library signs in through it only.")
        case .brokerSilent:
            Entry(
                .internalBrokerNotAvailable, "The device is managed, but its broker is silent.",
                "Check that batond runs; then retry.")
        case .brokerUntrusted:
            Entry(
                .internalBrokerNotAvailable, "A stranger listens on the broker's socket.",
                "Check BATON_SOCKET and the socket's owner.")
        case .brokerIncompatible:
            Entry(
                .internalBrokerNotAvailable,
                "The broker speaks no version of the protocol that this library speaks.", "Update whichever is older.")
        case .connectionEnded:
            Entry(
                .internalErrorBrokerResponseNotReceived, "The connection to the broker ended before its answer.",
                "Call getCurrentAccount to learn the state; then retry.")
        case .brokerTooLate:
            Entry(
                .internalErrorBrokerResponseNotReceived, "The broker did not answer in time.",
                "Call getCurrentAccount to learn the state; then retry.")
        case .brokerCorrupted:
            Entry(
                .internalErrorBrokerCorruptedResponse, "The broker's answer is not a message of the protocol.",
                "Update library and broker.")
        case .callsTooMany:
            Entry(
                .internalErrorUnexpected, "Too many calls wait for the broker.", "Wait for some of them; then retry.")
        case .parametersTooLong:
            Entry(
                .internalErrorInvalidParameter, "The parameters of the call are longer than the broker takes.",
                "Keep claims, scopes and query parameters under 64 KiB each, and under 128 KiB together.")
        case .answerUnreadable:
            Entry(
                .internalErrorBrokerUnknown, "The broker's answer cannot be understood.", "Update library and broker.")
        case .severalAccounts:
            Entry(
                .internalErrorAmbiguousAccount, "The broker lists several accounts where there is one.",
                "Update the broker; until then use accountsFromDevice.")
        case .tokenOfAnother:
            Entry(
                .internalErrorMismatchedUser, "The token is of another account.",
                "Call getCurrentAccount to learn whose turn it is.")
        case .scopesDeclined:
            Entry(
                .serverDeclinedScopes, "The identity platform granted fewer scopes than were asked.",
                "Go on with those under MSALGrantedScopesKey and the token under MSALInvalidResultKey, or ask for fewer."
            )
        case .nothingCame:
            Entry(
                .internalErrorUnexpected, "Neither a value nor an error came.",
                "Look at the subclass that overrides the call.")
        default: refusalEntry
        }
    }

    private var refusalEntry: Entry {
        switch self {
        case .interactionRequired:
            Entry(
                .interactionRequired, "Nobody is signed in, or a person has to take part.",
                "Call getCurrentAccount; sign in with acquireToken.")
        case .signInCanceled: Entry(.userCanceled, "The sign-in was given up.", "Offer to sign in again.")
        case .signInRunning:
            Entry(
                .internalErrorInteractiveSessionAlreadyRunning, "Somebody is signing in on this device already.",
                "Wait for the end.")
        case .otherWorker:
            Entry(
                .internalErrorMismatchedUser, "Another worker is signed in on this device.",
                "Sign out first; getCurrentAccount says who it is.")
        case .joinRequired:
            Entry(
                .workplaceJoinRequired, "The device is not joined to the organisation.",
                "Let a Cloud Device Administrator run: baton device join.")
        case .sharedModeIncomplete:
            Entry(
                .internalBrokerNotAvailable, "The device is not in shared mode, or only half.",
                "Look at baton device status for what is missing.")
        case .appLocked:
            Entry(
                .internalBrokerNotAvailable,
                "The app has not erased the data of a former worker and is locked until then.",
                "Start the app, so that its eraser runs; it is unlocked when it says that it has erased.")
        case .appUnregistered:
            Entry(
                .internalErrorUnauthorizedClient, "The app is not registered, on the device or with the organisation.",
                "Let the MDM install the app with its configuration.")
        case .redirectURIUnregistered:
            Entry(
                .internalErrorInvalidRedirectURI, "The redirect URI is not the registered one.",
                "Use msauth.<app id>://auth.")
        case .redirectSchemeUnregistered:
            Entry(
                .internalErrorRedirectSchemeNotRegistered, "The redirect URI's scheme is not registered.",
                "Use msauth.<app id>://auth.")
        case .authorityRefused:
            Entry(
                .internalErrorFailedAuthorityValidation, "The authority is not one that this device serves.",
                "Use the organisation's, or https://login.microsoftonline.com/common.")
        case .parameterRefused:
            Entry(.internalErrorInvalidParameter, "The broker refuses a parameter.", "Mend the one that it names.")
        case .accountRefused:
            Entry(.internalErrorAccountRequired, "The broker misses the account.", "Take getCurrentAccount's.")
        case .windowMissing:
            Entry(.internalErrorNoViewController, "There is nothing to show a page on.", "Start baton-agent.")
        case .protectionPolicy:
            Entry(
                .serverProtectionPoliciesRequired, "The app must be under a protection policy first.",
                "Ask the administrator.")
        case .passwordReset:
            Entry(.serverInvalidRequestResetPasswordRequired, "The person must reset the password.", "Reset it first.")
        default: serverEntry
        }
    }

    private var serverEntry: Entry {
        switch self {
        case .networkFailed:
            Entry(
                .internalErrorUnhandledResponse, "The identity platform cannot be reached.", "Check the network; retry."
            )
        case .serverStatus:
            Entry(
                .internalErrorUnexpectedHttpResponse, "The identity platform answered with an odd status.",
                "Look at its log.")
        case .serverFailed: Entry(folded: .serverError, "The identity platform failed.", "Retry; look at its log.")
        case .serverAnswer:
            Entry(.internalErrorInvalidResponse, "The identity platform's answer cannot be read.", "Look at its log.")
        case .serverRefused:
            Entry(
                .internalErrorAuthorizationFailed, "The identity platform refused the sign-in.",
                "Look up the AADSTS number of the message.")
        case .requestInvalid:
            Entry(
                .internalErrorInvalidRequest, "The identity platform calls the request invalid.",
                "Look up the AADSTS number of the message.")
        case .clientInvalid:
            Entry(
                .internalErrorInvalidClient, "The identity platform refuses the app.",
                "Look up the AADSTS number of the message.")
        case .grantInvalid:
            Entry(
                .internalErrorInvalidGrant, "What was shown to the identity platform has expired or is revoked.",
                "Sign in again.")
        case .scopeInvalid:
            Entry(
                .internalErrorInvalidScope, "The identity platform knows none of the scopes, or not the resource.",
                "Ask for permissions of one resource that the app is registered for.")
        case .brokerAnswerMissing:
            Entry(.internalErrorBrokerResponseNotReceived, "The broker got no answer.", "Retry.")
        case .brokerAnswerCorrupted:
            Entry(.internalErrorBrokerCorruptedResponse, "The broker's answer is damaged.", "Update the broker.")
        case .brokerAnswerUnknown:
            Entry(.internalErrorBrokerUnknown, "The broker's answer is unknown.", "Update library and broker.")
        default: Entry(.internalErrorUnexpected, "The broker failed.", "Look at its log; update library and broker.")
        }
    }
}
