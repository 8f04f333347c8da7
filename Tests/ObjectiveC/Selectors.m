// SPDX-License-Identifier: Apache-2.0
// Every selector and every Objective-C name of the library's classes, as an app written for Microsoft's library uses it.
// scripts/check/objc-face compiles this against the header that the compiler generates from Sources/MSAL.

static void application(NSURL *url, NSString *text, NSArray<NSString *> *scopes, MSALWebviewParameters *web) {
    NSError *error = nil;
    MSALPublicClientApplicationConfig *config = [[MSALPublicClientApplicationConfig alloc] initWithClientId:text
                                                                                                redirectUri:text
                                                                                                  authority:nil];
    MSALPublicClientApplication *application = [[MSALPublicClientApplication alloc] initWithConfiguration:config
                                                                                                    error:&error];
    application = [[MSALPublicClientApplication alloc] initWithClientId:text error:&error];
    config = application.configuration;
    NSArray<MSALAccount *> *accounts = [application allAccounts:&error];
    MSALAccount *account = [application accountForIdentifier:text error:&error];
    account = [application accountForUsername:text error:&error];
    MSALAccountEnumerationParameters *enumeration = [[MSALAccountEnumerationParameters alloc] init];
    accounts = [application accountsForParameters:enumeration error:&error];
    [application accountsFromDeviceForParameters:enumeration
                                 completionBlock:^(NSArray<MSALAccount *> *_Nullable found, NSError *_Nullable fault) {}];
    BOOL done = [MSALPublicClientApplication handleMSALResponse:url sourceApplication:text];
    done = [MSALPublicClientApplication cancelCurrentWebAuthSession];
    MSALInteractiveTokenParameters *interactive = [[MSALInteractiveTokenParameters alloc] initWithScopes:scopes
                                                                                       webviewParameters:web];
    [application acquireTokenWithParameters:interactive
                            completionBlock:^(MSALResult *_Nullable result, NSError *_Nullable fault) {}];
    MSALSilentTokenParameters *silent = [[MSALSilentTokenParameters alloc] initWithScopes:scopes account:account];
    [application acquireTokenSilentWithParameters:silent
                                  completionBlock:^(MSALResult *_Nullable result, NSError *_Nullable fault) {}];
    done = [application removeAccount:account error:&error];
    MSALSignoutParameters *signout = [[MSALSignoutParameters alloc] initWithWebviewParameters:web];
    [application signoutWithAccount:account
                  signoutParameters:signout
                    completionBlock:^(BOOL success, NSError *_Nullable fault) {}];
    MSALParameters *parameters = [MSALParameters new];
    [application getDeviceInformationWithParameters:parameters
                                    completionBlock:^(MSALDeviceInformation *_Nullable device, NSError *_Nullable fault) {}];
    [application getWPJMetaDataDeviceWithParameters:parameters
                                        forTenantId:text
                                    completionBlock:^(MSALWPJMetaData *_Nullable data, NSError *_Nullable fault) {}];
    [application getDeviceTokenForSharedDeviceWithResource:text
                                                    scopes:scopes
                                           completionBlock:^(MSALDeviceTokenResult *_Nullable r, NSError *_Nullable f) {}];
    [application getCurrentAccountWithParameters:parameters
                                 completionBlock:^(MSALAccount *_Nullable now, MSALAccount *_Nullable before,
                                                   NSError *_Nullable fault) {}];
    done = application.isCompatibleAADBrokerAvailable;
    NSString *version = MSALPublicClientApplication.sdkVersion;
}

static void configuration(NSString *text, NSArray<NSString *> *capabilities, MSALAuthority *authority) {
    MSALPublicClientApplicationConfig *config = [[MSALPublicClientApplicationConfig alloc] initWithClientId:text];
    config = [config copy];
    config.clientId = config.clientId;
    config.redirectUri = config.redirectUri;
    config.authority = authority;
    config.knownAuthorities = @[ config.authority ];
    config.clientApplicationCapabilities = capabilities;
    config.tokenExpirationBuffer = config.tokenExpirationBuffer + 1.5;
    config.bypassRedirectURIValidation = !config.bypassRedirectURIValidation;
    MSALCacheConfig *cache = [config.cacheConfig copy];
    cache.keychainSharingGroup = [MSALCacheConfig defaultKeychainSharingGroup];
    NSString *group = cache.keychainSharingGroup;
}

static void parameters(NSString *text, NSArray<NSString *> *scopes, MSALAccount *account, MSALAuthority *authority,
                       NSDictionary<NSString *, NSString *> *query, NSUUID *correlation, id presenter) {
    MSALParameters *plain = [[MSALParameters alloc] init];
    plain.completionBlockQueue = dispatch_get_main_queue();
    plain.completionBlockQueue = nil;
    dispatch_queue_t queue = plain.completionBlockQueue;

    MSALTokenParameters *token = [[MSALTokenParameters alloc] initWithScopes:scopes];
    token.scopes = token.scopes;
    token.account = account;
    token.authority = authority;
    token.claimsRequest = [[MSALClaimsRequest alloc] init];
    token.extraQueryParameters = query;
    token.correlationId = correlation;
    token.authenticationScheme = [[MSALAuthenticationSchemeBearer alloc] init];
    id<MSALAuthenticationSchemeProtocol> scheme = token.authenticationScheme;
    MSALAuthScheme kind = scheme.scheme == MSALAuthSchemeBearer ? MSALAuthSchemeBearer : MSALAuthSchemePop;
    NSString *name = scheme.authenticationScheme;

    MSALWebviewParameters *web = [[MSALWebviewParameters alloc] initWithAuthPresentationViewController:presenter];
    web = [web copy];
    web.parentViewController = web.parentViewController;
    web.prefersEphemeralWebBrowserSession = !web.prefersEphemeralWebBrowserSession;
    web.webviewType = MSALWebviewTypeDefault;

    MSALInteractiveTokenParameters *interactive = [[MSALInteractiveTokenParameters alloc] initWithScopes:scopes
                                                                                       webviewParameters:web];
    interactive.promptType = MSALPromptTypeSelectAccount;
    interactive.promptType = MSALPromptTypeLogin;
    interactive.promptType = MSALPromptTypeConsent;
    interactive.promptType = MSALPromptTypeCreate;
    interactive.promptType = MSALPromptTypePromptIfNecessary;
    interactive.loginHint = text;
    interactive.domainHint = text;
    interactive.extraScopesToConsent = scopes;
    interactive.preferredAuthMethod = MSALPreferredAuthMethodNone;
    interactive.preferredAuthMethod = MSALPreferredAuthMethodQRPIN;
    web = interactive.webviewParameters;

    MSALSilentTokenParameters *silent = [[MSALSilentTokenParameters alloc] initWithScopes:scopes account:account];
    silent.forceRefresh = !silent.forceRefresh;
    silent.allowUsingLocalCachedRtWhenSsoExtFailed = !silent.allowUsingLocalCachedRtWhenSsoExtFailed;

    MSALSignoutParameters *signout = [[MSALSignoutParameters alloc] init];
    signout = [[MSALSignoutParameters alloc] initWithWebviewParameters:web];
    signout.signoutFromBrowser = !signout.signoutFromBrowser;
    signout.wipeAccount = !signout.wipeAccount;
    signout.wipeCacheForAllAccounts = !signout.wipeCacheForAllAccounts;
    signout.extraQueryParameters = query;
    web = signout.webviewParameters;

    MSALAccountEnumerationParameters *all = [[MSALAccountEnumerationParameters alloc] initWithIdentifier:text];
    all = [[MSALAccountEnumerationParameters alloc] initWithIdentifier:nil username:text];
    all = [[MSALAccountEnumerationParameters alloc] initWithTenantProfileIdentifier:text];
    all.returnOnlySignedInAccounts = !all.returnOnlySignedInAccounts;
    NSString *identifier = all.identifier ?: all.username ?: all.tenantProfileIdentifier;
}

static void claims(NSString *text, NSNumber *yes, NSArray *values) {
    NSError *error = nil;
    MSALClaimsRequest *request = [[MSALClaimsRequest alloc] initWithJsonString:text error:&error];
    MSALIndividualClaimRequest *claim = [[MSALIndividualClaimRequest alloc] initWithName:text];
    claim.name = claim.name;
    claim.additionalInfo = [[MSALIndividualClaimRequestAdditionalInfo alloc] init];
    claim.additionalInfo.essential = yes;
    claim.additionalInfo.value = text;
    claim.additionalInfo.values = values;
    BOOL done = [request requestClaim:claim forTarget:MSALClaimsRequestTargetIdToken error:&error];
    done = [request removeClaimRequestWithName:text target:MSALClaimsRequestTargetAccessToken error:&error];
    NSArray<MSALIndividualClaimRequest *> *claims = [request claimsRequestsForTarget:MSALClaimsRequestTargetIdToken];
    id<MSALJsonSerializable> serializable = request;
    id<MSALJsonDeserializable> deserializable = request;
    NSString *json = [serializable jsonString];
}

static void answers(MSALResult *result, MSALDeviceInformation *device, MSALWPJMetaData *data, MSALDeviceTokenResult *token) {
    id<MSALAccount> seen = result.account;
    MSALAccount *account = [result.account copy];
    NSString *text = account.username ?: account.identifier ?: account.environment;
    NSDictionary<NSString *, id> *claims = account.accountClaims;
    MSALTenantProfile *profile = [result.tenantProfile copy];
    NSArray<MSALTenantProfile *> *profiles = account.tenantProfiles;
    MSALAccountId *home = [account.homeAccountId copy];
    BOOL flag = account.isSSOAccount && seen.isSSOAccount && profile.isHomeTenantProfile;
    text = home.identifier ?: home.objectId ?: home.tenantId;
    text = profile.identifier ?: profile.environment ?: profile.tenantId;
    claims = profile.claims;
    text = result.accessToken ?: result.idToken ?: result.authorizationHeader ?: result.authenticationScheme;
    NSDate *expiry = result.expiresOn;
    NSArray<NSString *> *scopes = result.scopes;
    MSALAuthority *authority = result.authority;
    NSUUID *correlation = result.correlationId;

    device = [MSALDeviceInformation new];
    BOOL isShared = device.deviceMode == MSALDeviceModeShared || device.deviceMode != MSALDeviceModeDefault;
    MSALPreferredAuthMethod method = device.configuredPreferredAuthMethod;
    flag = device.hasAADSSOExtension;
    NSDictionary *extra = device.extraDeviceInformation;
    extra = data.extraDeviceInformation;

    token = [[MSALDeviceTokenResult alloc] initWithAccessToken:token.accessToken
                                             deviceInformation:token.deviceInformation
                                                     expiresOn:token.expiresOn
                                                        scopes:token.scopes
                                                     authority:token.authority];
}

static void authorities(NSURL *url, NSString *tenant) {
    NSError *error = nil;
    MSALAuthority *authority = [MSALAuthority authorityWithURL:url error:&error];
    authority = [authority copy];
    url = authority.url;
    MSALAADAuthority *aad = [[MSALAADAuthority alloc] initWithURL:url error:&error];
    aad = [[MSALAADAuthority alloc] initWithURL:url rawTenant:tenant error:&error];
    aad = [[MSALAADAuthority alloc] initWithCloudInstance:MSALAzurePublicCloudInstance
                                             audienceType:MSALAzureADMyOrgOnlyAudience
                                                rawTenant:tenant
                                                    error:&error];
    aad = [[MSALAADAuthority alloc] initWithEnvironment:tenant
                                           audienceType:MSALAzureADMultipleOrgsAudience
                                              rawTenant:nil
                                                  error:&error];
    MSALAudienceType audiences[] = {
        MSALAzureADAndPersonalMicrosoftAccountAudience, MSALPersonalMicrosoftAccountAudience};
    MSALAzureCloudInstance clouds[] = {
        MSALAzureChinaCloudInstance, MSALAzureGermanyCloudInstance, MSALAzureUsGovernmentCloudInstance,
        MSALAzureFranceCloudInstance, MSALAzureDelosCloudInstance, MSALAzureGovSGCloudInstance};
}

static void logging(void) {
    MSALGlobalConfig.brokerAvailability = MSALBrokeredAvailabilityNone;
    MSALGlobalConfig.brokerAvailability = MSALBrokeredAvailabilityAuto;
    MSALLoggerConfig *logger = MSALGlobalConfig.loggerConfig;
    [logger setLogCallback:^(MSALLogLevel level, NSString *_Nullable message, BOOL containsPII) {}];
    void (^callback)(MSALLogLevel, NSString *_Nullable, BOOL) = [logger callback];
    logger.logLevel = MSALLogLevelNothing;
    logger.logLevel = MSALLogLevelError;
    logger.logLevel = MSALLogLevelWarning;
    logger.logLevel = MSALLogLevelInfo;
    logger.logLevel = MSALLogLevelVerbose;
    logger.logMaskingLevel = MSALLogMaskingSettingsMaskAllPII;
    logger.logMaskingLevel = MSALLogMaskingSettingsMaskEUIIOnly;
    logger.logMaskingLevel = MSALLogMaskingSettingsMaskSecretsOnly;
}

static void errors(void) {
    MSALError codes[] = {
        MSALErrorInternal, MSALErrorWorkplaceJoinRequired, MSALErrorInteractionRequired, MSALErrorServerDeclinedScopes,
        MSALErrorUserCanceled, MSALErrorServerError};
    MSALInternalError internals[] = {
        MSALInternalErrorInvalidParameter, MSALInternalErrorInvalidRequest, MSALInternalErrorInvalidClient,
        MSALInternalErrorInvalidGrant, MSALInternalErrorInvalidScope, MSALInternalErrorUnauthorizedClient,
        MSALInternalErrorUnhandledResponse, MSALInternalErrorUnexpected, MSALInternalErrorUnexpectedHttpResponse,
        MSALInternalErrorFailedAuthorityValidation, MSALInternalErrorInvalidRedirectURI,
        MSALInternalErrorMismatchedUser, MSALInternalErrorAmbiguousAccount, MSALInternalErrorAuthorizationFailed,
        MSALInternalErrorAccountRequired, MSALInternalErrorInteractiveSessionAlreadyRunning,
        MSALInternalErrorSessionCanceled, MSALInternalErrorAttemptToOpenURLFromExtension,
        MSALInternalErrorUINotSupportedInExtension, MSALInternalErrorInvalidASWebAuthenticationURL,
        MSALInternalErrorInvalidState, MSALInternalErrorInvalidResponse, MSALInternalErrorNonHttpsRedirect,
        MSALInternalErrorBrokerResponseNotReceived, MSALInternalErrorBrokerCorruptedResponse,
        MSALInternalErrorBrokerUnknown, MSALInternalBrokerNotAvailable};
    _Static_assert(MSALErrorInteractionRequired == -50002, "raw values are Microsoft's");
    _Static_assert(MSALInternalBrokerNotAvailable == -42714, "raw values are Microsoft's");
}
