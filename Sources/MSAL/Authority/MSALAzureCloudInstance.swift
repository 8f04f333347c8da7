// SPDX-License-Identifier: Apache-2.0

/// A Microsoft cloud. Each has its own host.
#if canImport(ObjectiveC)
    @objc(MSALAzureCloudInstance)
#endif
public enum MSALAzureCloudInstance: Int, Sendable {
    /// `login.microsoftonline.com`.
    #if canImport(ObjectiveC)
        @objc(MSALAzurePublicCloudInstance)
    #endif
    case publicCloudInstance = 0
    /// `login.chinacloudapi.cn`.
    #if canImport(ObjectiveC)
        @objc(MSALAzureChinaCloudInstance)
    #endif
    case chinaCloudInstance = 1
    /// `login.microsoftonline.de`.
    #if canImport(ObjectiveC)
        @objc(MSALAzureGermanyCloudInstance)
    #endif
    case germanyCloudInstance = 2
    /// `login.microsoftonline.us`.
    #if canImport(ObjectiveC)
        @objc(MSALAzureUsGovernmentCloudInstance)
    #endif
    case usGovernmentCloudInstance = 3
    /// `login.sovcloud-identity.fr`.
    #if canImport(ObjectiveC)
        @objc(MSALAzureFranceCloudInstance)
    #endif
    case franceCloudInstance = 4
    /// `login.sovcloud-identity.de`.
    #if canImport(ObjectiveC)
        @objc(MSALAzureDelosCloudInstance)
    #endif
    case delosCloudInstance = 5
    /// `login.sovcloud-identity.sg`.
    #if canImport(ObjectiveC)
        @objc(MSALAzureGovSGCloudInstance)
    #endif
    case govSGCloudInstance = 6

    /// The sign-in host of this cloud.
    var host: String {
        switch self {
        case .publicCloudInstance: "login.microsoftonline.com"
        case .chinaCloudInstance: "login.chinacloudapi.cn"
        case .germanyCloudInstance: "login.microsoftonline.de"
        case .usGovernmentCloudInstance: "login.microsoftonline.us"
        case .franceCloudInstance: "login.sovcloud-identity.fr"
        case .delosCloudInstance: "login.sovcloud-identity.de"
        case .govSGCloudInstance: "login.sovcloud-identity.sg"
        }
    }
}
