// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import Testing

/// The numbers and texts that apps compare with or that their other processes have stored.
struct RawValueTests {
    @Test func `enumerations have Microsoft's raw values`() {
        #expect([MSALLogLevel.nothing, .error, .warning, .info, .verbose].map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(MSALLogLevel.last == .verbose)
        #expect(
            [MSALLogMaskingLevel.settingsMaskAllPII, .settingsMaskEUIIOnly, .settingsMaskSecretsOnly].map(\.rawValue)
                == [0, 1, 2])
        #expect(MSALWebviewType.default.rawValue == 0)
        #expect([MSALBrokeredAvailability.auto, .none].map(\.rawValue) == [0, 1])
        #expect(
            [MSALPromptType.selectAccount, .login, .consent, .create, .promptIfNecessary].map(\.rawValue)
                == [0, 1, 2, 3, 4])
        #expect(MSALPromptType.default == .promptIfNecessary)
        #expect([MSALDeviceMode.default, .shared].map(\.rawValue) == [0, 1])
        #expect([MSALPreferredAuthMethod.none, .QRPIN].map(\.rawValue) == [0, 1])
        #expect([MSALAuthScheme.bearer, .pop].map(\.rawValue) == [0, 1])
        #expect([MSALClaimsRequestTarget.idToken, .accessToken].map(\.rawValue) == [0, 1])
        let audiences: [MSALAudienceType] = [
            .azureADAndPersonalMicrosoftAccountAudience, .azureADMultipleOrgsAudience, .azureADMyOrgOnlyAudience,
            .personalMicrosoftAccountAudience,
        ]
        #expect(audiences.map(\.rawValue) == [0, 1, 2, 3])
        #expect(MSALAzureCloudInstance.publicCloudInstance.rawValue == 0)
        #expect(MSALAzureCloudInstance.govSGCloudInstance.rawValue == 6)
    }

    @Test(arguments: [
        (MSALError.internal, -50000), (.workplaceJoinRequired, -50001), (.interactionRequired, -50002),
        (.serverDeclinedScopes, -50003), (.serverProtectionPoliciesRequired, -50004), (.userCanceled, -50005),
        (.serverError, -50006), (.insufficientDeviceStrength, -50007), (.mdmEnrollmentCompletedNeedsRetry, -50008),
        (.serverInvalidRequestResetPasswordRequired, -50142),
    ])
    func `error codes are Microsoft's`(code: MSALError, number: Int) { #expect(code.rawValue == number) }

    static let internalCodes: [(MSALInternalError, Int)] = [
        (.internalErrorInvalidParameter, -42000), (.internalErrorRedirectSchemeNotRegistered, -42001),
        (.internalErrorInvalidRequest, -42002), (.internalErrorInvalidClient, -42003),
        (.internalErrorInvalidGrant, -42004), (.internalErrorInvalidScope, -42005),
        (.internalErrorUnauthorizedClient, -42006), (.internalErrorUnhandledResponse, -42007),
        (.internalErrorUnexpected, -42008), (.internalErrorUnexpectedHttpResponse, -42009),
        (.internalErrorFailedAuthorityValidation, -42010), (.internalErrorInvalidRedirectURI, -42011),
        (.internalErrorMismatchedUser, -42101), (.internalErrorAmbiguousAccount, -42102),
        (.internalErrorAuthorizationFailed, -42104), (.internalErrorAccountRequired, -42106),
        (.internalErrorSessionCanceled, -42401), (.internalErrorInteractiveSessionAlreadyRunning, -42402),
        (.internalErrorNoViewController, -42403), (.internalErrorAttemptToOpenURLFromExtension, -42404),
        (.internalErrorUINotSupportedInExtension, -42405),
        (.internalErrorInvalidState, -42501), (.internalErrorInvalidResponse, -42600),
        (.internalErrorNonHttpsRedirect, -42602), (.internalErrorBrokerResponseNotReceived, -42700),
        (.internalErrorBrokerCorruptedResponse, -42705), (.internalErrorBrokerUnknown, -42711),
        (.internalBrokerNotAvailable, -42714), (.internalErrorInvalidASWebAuthenticationURL, -42745),
    ]

    @Test(arguments: internalCodes)
    func `internal codes are Microsoft's`(code: MSALInternalError, number: Int) { #expect(code.rawValue == number) }

    @Test func `the names of former versions mean the same codes`() {
        #expect(MSALInternalError.invalidParameter == .internalErrorInvalidParameter)
        #expect(MSALInternalError.errorInvalidParameter == .internalErrorInvalidParameter)
        #expect(MSALInternalError.errorBrokerUnknown == .internalErrorBrokerUnknown)
        #expect(MSALInternalError.brokerNotAvailable == .internalBrokerNotAvailable)
    }

    static let keys = [
        (MSALErrorDomain, "MSALErrorDomain"), (MSALErrorDescriptionKey, "MSALErrorDescriptionKey"),
        (MSALOAuthErrorKey, "MSALOAuthErrorKey"), (MSALOAuthSubErrorKey, "MSALOAuthSubErrorKey"),
        (MSALOAuthSubErrorDescriptionKey, "MSALOAuthSubErrorDescriptionKey"),
        (MSALSTSErrorCodesKey, "MSALSTSErrorCodesKey"), (MSALInternalErrorCodeKey, "MSALInternalErrorCodeKey"),
        (MSALHTTPHeadersKey, "MSALHTTPHeadersKey"), (MSALHTTPResponseCodeKey, "MSALHTTPResponseCodeKey"),
        (MSALCorrelationIDKey, "MSALCorrelationIDKey"), (MSALDeclinedScopesKey, "MSALDeclinedScopesKey"),
        (MSALGrantedScopesKey, "MSALGrantedScopesKey"), (MSALDisplayableUserIdKey, "MSALDisplayableUserIdKey"),
        (MSALHomeAccountIdKey, "MSALHomeAccountIdKey"), (MSALBrokerVersionKey, "MSALBrokerVersionKey"),
        (MSALInvalidResultKey, "MSALInvalidResultKey"), (MSALThrottlingCacheHitKey, "MSALThrottlingCacheHitKey"),
        (MSAL_PRIMARY_REGISTRATION_UPN, "primary_registration_metadata_upn"),
        (MSAL_PRIMARY_REGISTRATION_DEVICE_ID, "primary_registration_metadata_device_id"),
        (MSAL_PRIMARY_REGISTRATION_TENANT_ID, "primary_registration_metadata_tenant_id"),
        (MSAL_PRIMARY_REGISTRATION_CLOUD, "primary_registration_metadata_cloud_host"),
        (
            MSAL_PRIMARY_REGISTRATION_CERTIFICATE_THUMBPRINT,
            "primary_registration_metadata_certificate_thumbprint"
        ),
    ]

    @Test(arguments: keys) func `keys are Microsoft's`(constant: String, text: String) { #expect(constant == text) }
}
