// SPDX-License-Identifier: Apache-2.0

/// The accounts that an authority signs in.
#if canImport(ObjectiveC)
    @objc(MSALAudienceType)
#endif
public enum MSALAudienceType: Int, Sendable {
    /// Accounts of any organisation and personal accounts, tenant `common`.
    #if canImport(ObjectiveC)
        @objc(MSALAzureADAndPersonalMicrosoftAccountAudience)
    #endif
    case azureADAndPersonalMicrosoftAccountAudience = 0
    /// Accounts of any organisation, tenant `organizations`.
    #if canImport(ObjectiveC)
        @objc(MSALAzureADMultipleOrgsAudience)
    #endif
    case azureADMultipleOrgsAudience = 1
    /// Accounts of one organisation; its tenant must be given.
    #if canImport(ObjectiveC)
        @objc(MSALAzureADMyOrgOnlyAudience)
    #endif
    case azureADMyOrgOnlyAudience = 2
    /// Personal accounts, tenant `consumers`.
    #if canImport(ObjectiveC)
        @objc(MSALPersonalMicrosoftAccountAudience)
    #endif
    case personalMicrosoftAccountAudience = 3

    /// The last part of the authority's path; nil if the path names an organisation's tenant.
    var tenant: String? {
        switch self {
        case .azureADAndPersonalMicrosoftAccountAudience: "common"
        case .azureADMultipleOrgsAudience: "organizations"
        case .azureADMyOrgOnlyAudience: nil
        case .personalMicrosoftAccountAudience: "consumers"
        }
    }
}
