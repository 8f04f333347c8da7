// SPDX-License-Identifier: Apache-2.0

/// Every error that apps can get: a closed list from which `docs/reference/errors.md` is generated.
///
/// Each case has a code, an internal code (only if the code is -50000), a cause and a remedy (`Problem+Entry.swift`).
/// Raw values are stable.
package enum Problem: String, CaseIterable, Sendable {
    // Errors in the app's parameters.
    case clientIDBlank = "client_id_blank"
    case redirectURI = "redirect_uri"
    case authority = "authority"
    case authorityClass = "authority_class"
    case tenantUnexpected = "tenant_unexpected"
    case tenantMissing = "tenant_missing"
    case authenticationScheme = "authentication_scheme"
    case scopeMalformed = "scope_malformed"
    case scopeReserved = "scope_reserved"
    case claims = "claims"
    case webParametersMissing = "web_parameters_missing"
    case accountUnnamed = "account_unnamed"
    case accountMissing = "account_missing"
    case accountQueryBlank = "account_query_blank"
    case accountNotSignedIn = "account_not_signed_in"
    case resourceBlank = "resource_blank"
    case deviceNotShared = "device_not_shared"

    // Errors of the connection to the broker.
    case brokerSwitchedOff = "broker_switched_off"
    case personalDevice = "personal_device"
    case brokerSilent = "broker_silent"
    case brokerUntrusted = "broker_untrusted"
    case brokerIncompatible = "broker_incompatible"
    case connectionEnded = "connection_ended"
    case brokerTooLate = "broker_too_late"
    case brokerCorrupted = "broker_corrupted"
    case processForked = "process_forked"
    case callsTooMany = "calls_too_many"
    case parametersTooLong = "parameters_too_long"

    // Errors in the response.
    case answerUnreadable = "answer_unreadable"
    case severalAccounts = "several_accounts"
    case tokenOfAnother = "token_of_another"
    case scopesDeclined = "scopes_declined"
    case nothingCame = "nothing_came"

    // Refusals of the broker.
    case interactionRequired = "interaction_required"
    case signInCanceled = "sign_in_canceled"
    case signInRunning = "sign_in_running"
    case otherWorker = "other_worker"
    case joinRequired = "join_required"
    case sharedModeIncomplete = "shared_mode_incomplete"
    case appLocked = "app_locked"
    case appUnregistered = "app_unregistered"
    case redirectURIUnregistered = "redirect_uri_unregistered"
    case redirectSchemeUnregistered = "redirect_scheme_unregistered"
    case authorityRefused = "authority_refused"
    case parameterRefused = "parameter_refused"
    case accountRefused = "account_refused"
    case windowMissing = "window_missing"
    case protectionPolicy = "protection_policy"
    case passwordReset = "password_reset"

    // Errors of the identity platform.
    case networkFailed = "network_failed"
    case serverStatus = "server_status"
    case serverFailed = "server_failed"
    case serverAnswer = "server_answer"
    case serverRefused = "server_refused"
    case requestInvalid = "request_invalid"
    case clientInvalid = "client_invalid"
    case grantInvalid = "grant_invalid"
    case scopeInvalid = "scope_invalid"

    // Errors inside the broker.
    case brokerAnswerMissing = "broker_answer_missing"
    case brokerAnswerCorrupted = "broker_answer_corrupted"
    case brokerAnswerUnknown = "broker_answer_unknown"
    case brokerFailed = "broker_failed"
}

extension Problem {
    /// How apps see a problem.
    package struct Entry: Sendable, Equatable {
        /// A code of ``MSALErrorDomain``.
        package let code: Int
        /// The value of ``MSALInternalErrorCodeKey``; present if and only if the code is -50000.
        package let internalCode: Int?
        /// The cause: one sentence that names no user.
        package let cause: String
        /// The remedy: one or two sentences.
        package let remedy: String

        /// Makes a problem with its own public code.
        init(_ code: MSALError, _ cause: String, remedy: String) {
            self.init(code: code.rawValue, internalCode: nil, cause: cause, remedy: remedy)
        }

        /// Makes a problem that apps get as ``MSALError/internal`` with `internalCode`.
        init(_ internalCode: MSALInternalError, _ cause: String, remedy: String) {
            self.init(
                code: MSALError.internal.rawValue, internalCode: internalCode.rawValue, cause: cause, remedy: remedy)
        }

        /// Makes a problem whose public code does not reach apps directly but becomes the internal code (ERR-2).
        init(folded code: MSALError, _ cause: String, remedy: String) {
            self.init(code: MSALError.internal.rawValue, internalCode: code.rawValue, cause: cause, remedy: remedy)
        }

        private init(code: Int, internalCode: Int?, cause: String, remedy: String) {
            self.code = code
            self.internalCode = internalCode
            self.cause = cause
            self.remedy = remedy
        }
    }
}
