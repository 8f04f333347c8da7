// SPDX-License-Identifier: Apache-2.0

/// The keys in the flat maps of the broker's operations. The spelling of each key is defined only here.
package struct Key: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
    private init(_ rawValue: String) { self.rawValue = rawValue }

    // Every request.
    package static let brokerKey = Key("broker_key")
    package static let protocolVersion = Key("msg_protocol_ver")
    package static let clientVersion = Key("client_version")
    package static let clientAppName = Key("client_app_name")
    package static let correlationID = Key("correlation_id")

    // Every response.
    package static let operation = Key("operation")
    package static let success = Key("success")
    package static let responseType = Key("operation_response_type")

    // The device, in every response.
    package static let deviceMode = Key("device_mode")
    package static let extensionMode = Key("sso_extension_mode")
    package static let joinStatus = Key("wpj_status")
    package static let brokerVersion = Key("broker_version")
    package static let preferredAuthentication = Key("preferred_auth_config")
    package static let extraDeviceInfo = Key("extraDeviceInfo")
    /// In the object for ``extraDeviceInfo``: whether the MDM installed the calling app.
    package static let isCallerAppManaged = Key("isCallerAppManaged")
    package static let registrationUPN = Key("primary_registration_metadata_upn")
    package static let registrationDeviceID = Key("primary_registration_metadata_device_id")
    package static let registrationTenantID = Key("primary_registration_metadata_tenant_id")
    package static let registrationCloud = Key("primary_registration_metadata_cloud_host")
    package static let registrationThumbprint = Key("primary_registration_metadata_certificate_thumbprint")
    /// Baton's own: a stable code for the reason of the device's mode.
    package static let deviceModeReason = Key("baton_device_mode_reason")

    // The calling app.
    package static let clientID = Key("client_id")
    package static let redirectURI = Key("redirect_uri")
    package static let providerType = Key("provider_type")
    package static let authority = Key("authority")

    // Accounts.
    package static let accounts = Key("accounts")
    package static let signedInAccountsOnly = Key("signed_in_accounts_only")
    package static let homeAccountID = Key("home_account_id")
    package static let username = Key("username")
    package static let localAccountID = Key("local_account_id")
    package static let accountType = Key("account_type")
    package static let environment = Key("environment")
    package static let realm = Key("realm")
    package static let name = Key("name")
    package static let givenName = Key("given_name")
    package static let familyName = Key("family_name")
    package static let clientInfo = Key("client_info")
    package static let idTokenClaims = Key("id_token_claims")
    package static let isSSOAccount = Key("is_sso_account")

    // Tokens.
    package static let scope = Key("scope")
    package static let resource = Key("resource")
    package static let extraScopes = Key("extra_oidc_scopes")
    package static let extraConsentScopes = Key("extra_consent_scopes")
    package static let extraQueryParameters = Key("extra_query_param")
    package static let claims = Key("claims")
    package static let clientCapabilities = Key("client_capabilities")
    package static let prompt = Key("prompt")
    package static let forceRefresh = Key("force_refresh")
    package static let accessToken = Key("access_token")
    package static let idToken = Key("id_token")
    package static let tokenType = Key("token_type")
    package static let expiresIn = Key("expires_in")
    package static let expiresOn = Key("expires_on")
    package static let error = Key("error")
    package static let errorDescription = Key("error_description")
    package static let suberror = Key("suberror")

    // Sign-out.
    package static let signoutFromBrowser = Key("signout_from_browser")
    package static let wipeAccount = Key("wipe_account")
    package static let wipeCacheForAllAccounts = Key("wipe_cache_all_accounts")

    // The browser.
    package static let ssoURL = Key("sso_url")
    package static let typesOfHeader = Key("types_of_header")
    package static let ssoCookies = Key("sso_cookies")
    package static let payload = Key("payload")
    /// Baton's own: a JSON list of prefixes of the addresses for which the browser's extension requests headers.
    package static let browserAddresses = Key("baton_addresses")
    /// Baton's own: the address of a page to open in the worker's browser. Without it, the home page opens.
    package static let pageAddress = Key("baton_page")
    /// Baton's own: whether the browser's extension removes a page's request to prompt for the password.
    package static let removesPrompts = Key("baton_removes_prompts")

    // Baton's own operations.
    package static let previousHomeAccountID = Key("baton_previous_home_account_id")
    /// The signed-in account, if the client has removed it.
    package static let removedHomeAccountID = Key("baton_removed_home_account_id")
    package static let epoch = Key("baton_epoch")
    /// The ended epoch that the app has not acknowledged yet.
    package static let endedEpoch = Key("baton_ended_epoch")
    /// The eraser, if an app has several.
    package static let eraser = Key("baton_eraser")
    /// The result of the app's eraser: `done` or `failed`.
    package static let result = Key("baton_result")
    /// Whether the app has unsaved work: `1` or `0`.
    package static let unsaved = Key("baton_unsaved")
    /// The reader of account changes, if a client has several.
    package static let reader = Key("baton_reader")
}
