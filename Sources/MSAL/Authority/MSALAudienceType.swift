// SPDX-License-Identifier: Apache-2.0

/// Whose accounts an authority signs in.
#if canImport(ObjectiveC)
    @objc(MSALAudienceType)
#endif
public enum MSALAudienceType: Int, Sendable {
    /// Accounts of any organisation and personal ones, tenant `common`.
    #if canImport(ObjectiveC)
        @objc(MSALAzureADAndPersonalMicrosoftAccountAudience)
    #endif
    case azureADAndPersonalMicrosoftAccountAudience = 0
    /// Accounts of any organisation, tenant `organizations`.
    #if canImport(ObjectiveC)
        @objc(MSALAzureADMultipleOrgsAudience)
    #endif
    case azureADMultipleOrgsAudience = 1
    /// Accounts of one organisation, whose tenant must be named.
    #if canImport(ObjectiveC)
        @objc(MSALAzureADMyOrgOnlyAudience)
    #endif
    case azureADMyOrgOnlyAudience = 2
    /// Personal accounts, tenant `consumers`.
    #if canImport(ObjectiveC)
        @objc(MSALPersonalMicrosoftAccountAudience)
    #endif
    case personalMicrosoftAccountAudience = 3

    /// The path of the authority; nil where a tenant takes its place.
    var tenant: String? {
        switch self {
        case .azureADAndPersonalMicrosoftAccountAudience: "common"
        case .azureADMultipleOrgsAudience: "organizations"
        case .azureADMyOrgOnlyAudience: nil
        case .personalMicrosoftAccountAudience: "consumers"
        }
    }
}
