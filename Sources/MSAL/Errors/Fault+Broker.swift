// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

extension Fault {
    /// What a call to the broker that brought no response means to the app.
    init(_ failure: LinkFailure) {
        switch failure {
        case .personalDevice:
            self.init(
                .internalBrokerNotAvailable,
                "This device has no broker. Install Baton's broker; this library signs in through it only.")
        case .unreachable(let reason):
            self.init(
                .internalBrokerNotAvailable,
                "The device is managed, but its broker is silent (\(reason)). Check that batond runs; then retry.")
        case .untrusted:
            self.init(
                .internalBrokerNotAvailable,
                "A stranger listens on the broker's socket. Check \(BrokerLocation.variable) and the socket's owner.")
        case .incompatible:
            self.init(
                .internalBrokerNotAvailable,
                "The broker speaks no version of the protocol that this library speaks. Update whichever is older.")
        case .ended:
            self.init(
                .internalErrorBrokerResponseNotReceived,
                "The connection to the broker ended before its answer. Call getCurrentAccount to learn the state.")
        case .tooLate:
            self.init(
                .internalErrorBrokerResponseNotReceived,
                "The broker did not answer in time. Call getCurrentAccount to learn the state; then retry.")
        case .corrupted:
            self.init(
                .internalErrorBrokerCorruptedResponse,
                "The broker's answer is not a message of the protocol. Update library and broker.")
        case .canceled:
            self.init(.userCanceled, "The app gave the sign-in up. Call acquireToken to begin anew.")
        case .overloaded:
            self.init(
                .internalErrorUnexpected, "Too many calls wait for the broker. Wait for some of them; then retry.")
        case .refused(let error): self.init(error)
        }
    }

    /// The public code of a broker's error (ERR-2, ERR-3, ERR-6).
    init(_ error: BrokerError) {
        let number = error.code.rawValue
        if let code = Self.publicCodes[number] {
            self.init(code, error.message)
        } else if error.code == .serverError {
            self.init(folded: .serverError, error.message)
        } else {
            self.init(Self.internalCodes[number] ?? .internalErrorUnexpected, error.message)
        }
        oauthError = error.oauthError
        oauthSuberror = error.oauthSuberror
    }

    /// What an OAuth error means where no person takes part: that one has to, but for errors that no person can
    /// mend (SIL-9).
    init(silent error: BrokerError) {
        let plain = Fault(error)
        let stays: Set<Int?> = [
            MSALInternalError.internalErrorInvalidScope.rawValue, MSALInternalError.internalErrorInvalidClient.rawValue,
        ]
        guard error.oauthError != nil, plain.code == .internal || plain.code == .userCanceled,
            !stays.contains(plain.internalCode)
        else {
            self = plain
            return
        }
        self.init(.interactionRequired, error.message)
        oauthError = error.oauthError
        oauthSuberror = error.oauthSuberror
    }

    /// Codes of the broker that reach apps by a code of their own.
    private static let publicCodes: [Int: MSALError] = [
        -51115: .interactionRequired,
        -51415: .serverDeclinedScopes,
        -51416: .userCanceled,
        -51430: .serverProtectionPoliciesRequired,
        -51700: .userCanceled,
        -51701: .userCanceled,
        -51810: .workplaceJoinRequired,
        -50142: .serverInvalidRequestResetPasswordRequired,
    ]

    /// Codes of the broker that reach apps under ``MSALInternalErrorCodeKey``; all others are `Unexpected`.
    private static let internalCodes: [Int: MSALInternalError] = [
        -51112: .internalErrorInvalidParameter,
        -51113: .internalErrorAccountRequired,
        -51117: .internalErrorMismatchedUser,
        -51118: .internalErrorRedirectSchemeNotRegistered,
        -51119: .internalErrorInvalidRedirectURI,
        -51200: .internalErrorAmbiguousAccount,
        -51400: .internalErrorAuthorizationFailed,
        -51401: .internalErrorInvalidResponse,
        -51410: .internalErrorInvalidRequest,
        -51411: .internalErrorInvalidClient,
        -51412: .internalErrorInvalidGrant,
        -51413: .internalErrorInvalidScope,
        -51414: .internalErrorUnauthorizedClient,
        -51500: .internalErrorUnhandledResponse,
        -51501: .internalErrorUnexpectedHttpResponse,
        -51600: .internalErrorFailedAuthorityValidation,
        -51710: .internalErrorInteractiveSessionAlreadyRunning,
        -51720: .internalErrorNoViewController,
        -51800: .internalErrorBrokerResponseNotReceived,
        -51805: .internalErrorBrokerCorruptedResponse,
        -51811: .internalErrorBrokerUnknown,
        -51814: .internalBrokerNotAvailable,
    ]
}

extension Fault {
    /// What an answer that came but cannot be understood means: an error, never a guess.
    init(unreadable error: BrokerError) {
        let isAmbiguous = error.code == .multipleAccounts
        self.init(isAmbiguous ? .internalErrorAmbiguousAccount : .internalErrorBrokerUnknown, error.message)
    }
}

extension BrokerError.Code {
    /// The broker lists several accounts where there can be one (CUR-3).
    static let multipleAccounts = Self(rawValue: -51200)
}
