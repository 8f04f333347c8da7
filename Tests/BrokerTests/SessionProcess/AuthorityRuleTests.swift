// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrokerSession
import DeviceSettings
import Testing

/// The authorities that a device accepts from apps, and the tenant names in them (rule SIL-4, the broker's part).
@Suite struct AuthorityRuleTests {
    private static let tenant = "11111111-2222-3333-4444-555555555555"
    private let rule = AuthorityRule(
        join: JoinRecord(
            tenantID: tenant, deviceID: "d", loginURL: "https://login.baton.test:8443", certificate: "",
            thumbprint: ""))

    @Test(arguments: [
        ("https://login.baton.test:8443/\(tenant)", tenant), ("https://LOGIN.baton.test:8443/common", tenant),
        ("https://login.baton.test:8443/organizations/oauth2", tenant),
        ("https://login.microsoftonline.com/common", tenant), ("https://login.microsoftonline.us/\(tenant)", tenant),
        ("https://login.baton.test:8443/Seaview.Baton.test", "seaview.baton.test"),
    ])
    func `the organisation's authority is accepted under each of its names`(authority: String, name: String) throws {
        #expect(try rule.tenant(of: authority) == name)
    }

    @Test(arguments: [
        "", "x", "https://login.baton.test:8443", "https://login.baton.test:8443/",
        "http://login.baton.test:8443/common",
        "https://login.baton.test/common", "https://login.evil.test/\(tenant)",
        "https://login.microsoftonline.com.evil.test/common",
        "https://login.baton.test:8443/consumers", "https://login.baton.test:8443/11111111-2222-3333-4444-555555555556",
        "https://login.baton.test:8443/a%2fb.c", "https://login.baton.test:8443/common?x.y",
    ])
    func `any other authority is refused`(authority: String) {
        let error = #expect(throws: BrokerError.self) { try rule.tenant(of: authority) }
        #expect(error?.code == .authorityInvalid)
    }
}
