// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import JSON
import MSAL
import Testing

/// Rules ACC: accounts, their identifiers and their tenant profiles.
@Suite(.timeLimit(.minutes(10))) struct AccountValueTests {
    private func account(_ identifier: String, realm: String = "t", claims: JSONValue? = nil) async throws
        -> MSALAccount
    {
        let record = AccountRecord(
            homeAccountID: identifier, localAccountID: "local", realm: realm, environment: "login.baton.test",
            username: "amara@baton.test", idTokenClaims: claims)
        return try #require(try await Answers.accounts([record]).first)
    }

    @Test(arguments: [("o.t", "o", "t"), ("o", nil, nil), ("o.t.x", nil, nil), (".t", nil, nil), ("", nil, nil)])
    func `ACC-1 an identifier has parts only if it has exactly two`(
        identifier: String, object: String?, tenant: String?
    ) async throws {
        let account = try await account(identifier)
        #expect(account.identifier == identifier)
        #expect(account.homeAccountId?.identifier == identifier)
        #expect(account.homeAccountId?.objectId == object)
        #expect(account.homeAccountId?.tenantId == tenant)
    }

    @Test func `ACC-2 accounts are equal by identifier, whatever the case and the name`() async throws {
        let amara = try await account("O.T")
        let same = try await account("o.t")
        let other = try await account("p.t")
        #expect(amara == same && amara.hash == same.hash)
        #expect(amara != other)
        #expect(amara.homeAccountId == same.homeAccountId)
        #expect(Set([amara, same, other]).count == 2)
    }

    @Test func `ACC-3 a listed account has tenant profiles, an account from a token has none`() async throws {
        let listed = try await account("o.T", realm: "t")
        let profile = try #require(listed.tenantProfiles?.first)
        #expect(listed.tenantProfiles?.count == 1)
        #expect(profile.identifier == "local" && profile.tenantId == "t")
        #expect(profile.environment == "login.baton.test")
        #expect(profile.isHomeTenantProfile)
        #expect(try await Answers.result().account.tenantProfiles == nil)
    }

    @Test func `ACC-4 only claims of the home tenant are used`() async throws {
        let claims = JSONValue.object(["name": .string("Amara"), "n": .integer(7), "l": .array([.bool(true), .null])])
        let home = try await account("o.t", realm: "t", claims: claims)
        #expect(home.accountClaims?["name"] as? String == "Amara")
        #expect(home.accountClaims?["n"] as? Int == 7)
        let list = try #require(home.accountClaims?["l"] as? [Any])
        #expect(list.first as? Bool == true && list.last is NSNull)
        let guest = try await account("o.t", realm: "elsewhere", claims: claims)
        #expect(guest.accountClaims == nil)
        #expect(guest.tenantProfiles?.first?.isHomeTenantProfile == false)
        #expect(guest.tenantProfiles?.first?.claims?["name"] as? String == "Amara")
    }

    @Test func `ACC-4 ACC-5 ACC-6 an account from a token has its claims, its host and the broker`()
        async throws
    {
        let home = try await Answers.result(claims: #"{"tid":"\#(TestValues.tenant)","oid":"x","email":"a@b"}"#)
        #expect(home.account.accountClaims?["email"] as? String == "a@b")
        #expect(home.tenantProfile.isHomeTenantProfile && home.tenantProfile.identifier == "x")
        #expect(home.account.environment == "login.baton.test")
        #expect(home.account.isSSOAccount)
        let guest = try await Answers.result(claims: #"{"tid":"elsewhere","oid":"y"}"#)
        #expect(guest.account.accountClaims == nil)
        #expect(!guest.tenantProfile.isHomeTenantProfile && guest.tenantProfile.tenantId == "elsewhere")
    }

    @Test func `ACC-7 a copy has all properties, including isSSOAccount`() async throws {
        let account = try await account("o.t")
        let copy = try #require(account.copy() as? MSALAccount)
        #expect(copy == account && copy.isSSOAccount && copy.username == account.username)
        #expect(copy.tenantProfiles?.count == 1)
        #expect((account.homeAccountId?.copy() as? MSALAccountId) == account.homeAccountId)
    }

    @Test func `an account conforms to the protocol of Microsoft's library`() async throws {
        let account: any MSALAccountProtocol = try await account("o.t")
        #expect(account.username == "amara@baton.test" && account.isSSOAccount)
    }

    @Test func `a dump of an account or a token contains no name and no secret`() async throws {
        let account = try await account("o.t", claims: .object(["name": .string("Amara")]))
        let result = try await Answers.result(accessToken: "s3cret")
        var text = ""
        dump(account, to: &text)
        dump(account.homeAccountId, to: &text)
        dump(account.tenantProfiles, to: &text)
        dump(result, to: &text)
        text += "\(account) \(result) \(String(reflecting: result))"
        for word in ["mara", "local", "o.t", "s3cret"] { #expect(!text.contains(word)) }
    }

    @Test func `RES-2 the header is the scheme, one blank and the token`() async throws {
        let result = try await Answers.result(accessToken: "token")
        #expect(result.authorizationHeader == "Bearer token" && result.authenticationScheme == "Bearer")
        #expect(result.scopes == ["User.Read"])
    }
}
