// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import Testing

/// Rules AUT: how authorities are created and compared.
struct AuthorityTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func `AUT-1 a raw tenant replaces the tenant in the address`() throws {
        let authority = try MSALAADAuthority(
            url: url("https://login.baton.test/common"), rawTenant: "contoso.example")
        #expect(authority.url.absoluteString == "https://login.baton.test/contoso.example")
        let plain = try MSALAADAuthority(url: url("https://login.baton.test/common"), rawTenant: nil)
        #expect(plain.url.absoluteString == "https://login.baton.test/common")
    }

    @Test(arguments: ["", " ", "a/b", "a?b", "a#b", "../x", "a%2fb", "ä"])
    func `AUT-1 a raw tenant that is neither an id nor a domain is refused`(tenant: String) async throws {
        let url = try url("https://login.baton.test/common")
        let error = try await seen { try MSALAADAuthority(url: url, rawTenant: tenant) }
        #expect(error.asInternal == .internalErrorInvalidParameter)
    }

    @Test func `AUT-2 an address yields an authority of the matching subclass`() throws {
        let authority = try MSALAuthority(url: url("https://login.baton.test/common/oauth2"))
        #expect(authority is MSALAADAuthority)
        #expect(try authority == MSALAADAuthority(url: url("https://login.baton.test/common")))
    }

    @Test(arguments: [
        "https://login.baton.test/tfp/tenant/policy", "https://adfs.baton.test/adfs", "https://contoso.ciamlogin.com/x",
        "http://login.baton.test/common",
    ])
    func `AUT-1 AUT-2 AUT-4 an authority that no broker serves is refused`(address: String) async throws {
        let url = try url(address)
        #expect(try await seen { try MSALAuthority(url: url) }.asInternal == .internalErrorInvalidParameter)
        #expect(try await seen { try MSALAADAuthority(url: url) }.asInternal == .internalErrorInvalidParameter)
    }

    static let audiences: [(MSALAudienceType, String?, String)] = [
        (.azureADAndPersonalMicrosoftAccountAudience, nil, "common"),
        (.azureADMultipleOrgsAudience, nil, "organizations"),
        (.personalMicrosoftAccountAudience, nil, "consumers"),
        (.azureADMyOrgOnlyAudience, "contoso.example", "contoso.example"),
    ]

    @Test(arguments: audiences)
    func `AUT-3 audiences map to tenants`(audience: MSALAudienceType, tenant: String?, path: String) throws {
        let authority = try MSALAADAuthority(
            environment: "Login.Baton.test", audienceType: audience, rawTenant: tenant)
        #expect(authority.url.absoluteString == "https://login.baton.test/\(path)")
    }

    static let pairs: [(String, MSALAudienceType, String?)] = [
        ("", .azureADMultipleOrgsAudience, nil), (" ", .azureADMultipleOrgsAudience, nil),
        ("login.baton.test/x", .azureADMultipleOrgsAudience, nil), ("a b", .azureADMultipleOrgsAudience, nil),
        ("login.baton.test", .azureADMultipleOrgsAudience, "contoso.example"),
        ("login.baton.test", .azureADAndPersonalMicrosoftAccountAudience, "contoso.example"),
        ("login.baton.test", .azureADMyOrgOnlyAudience, nil), ("login.baton.test", .azureADMyOrgOnlyAudience, ""),
    ]

    @Test(arguments: pairs)
    func `AUT-3 a host, an audience and a tenant that contradict each other are refused`(
        environment: String, audience: MSALAudienceType, tenant: String?
    ) async throws {
        let error = try await seen {
            try MSALAADAuthority(environment: environment, audienceType: audience, rawTenant: tenant)
        }
        #expect(error.asInternal == .internalErrorInvalidParameter)
    }

    static let clouds: [(MSALAzureCloudInstance, String)] = [
        (.publicCloudInstance, "login.microsoftonline.com"), (.chinaCloudInstance, "login.chinacloudapi.cn"),
        (.germanyCloudInstance, "login.microsoftonline.de"), (.usGovernmentCloudInstance, "login.microsoftonline.us"),
        (.franceCloudInstance, "login.sovcloud-identity.fr"), (.delosCloudInstance, "login.sovcloud-identity.de"),
        (.govSGCloudInstance, "login.sovcloud-identity.sg"),
    ]

    @Test(arguments: clouds) func `AUT-3 a cloud maps to a host`(cloud: MSALAzureCloudInstance, host: String) throws {
        let authority = try MSALAADAuthority(
            cloudInstance: cloud, audienceType: .azureADMultipleOrgsAudience, rawTenant: nil)
        #expect(authority.url.absoluteString == "https://\(host)/organizations")
    }

    @Test func `AUT-5 an authority can be a dictionary key, and equals its copy`() throws {
        let authority = try MSALAADAuthority(url: url("https://login.baton.test/tenant"))
        let copy = try #require(authority.copy() as? MSALAADAuthority)
        #expect(Set([authority, copy]).count == 1)
        #expect(try authority != MSALAADAuthority(url: url("https://login.baton.test/other")))
    }
}
