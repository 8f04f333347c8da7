// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Redaction
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// Requests that reach two nodes at the same moment, on PostgreSQL.
@Suite struct NodeRaceTests {
    @Test func `wrong passwords at two nodes are counted together`() async throws {
        let (first, second) = try await SharedBackend.postgreSQL.nodes { $0.compatibility.passwordGrant = true }
        let answers = try await simultaneously(24) { number in
            try await (number % 2 == 0 ? first : second).token([
                "grant_type": "password", "client_id": first.app.id.rawValue, "username": "amara@contoso.test",
                "password": "wrong", "scope": "openid",
            ])
        }
        #expect(answers.count { $0.errorNumber == 50126 } == 10)
        #expect(answers.count { $0.errorNumber == 50053 } == 14)
    }

    @Test func `wrong user codes at two nodes are counted together`() async throws {
        let (first, second) = try await SharedBackend.postgreSQL.nodes()
        let answers = try await simultaneously(24) { number in
            try await Browser(number % 2 == 0 ? first : second).type(userCode: "BBBB-BBBB").shownError
        }
        #expect(answers.count { $0 == 5_000_620 } == 10)
        #expect(answers.count { $0 == 5_000_621 } == 14)
    }

    @Test func `a device code is redeemed once, whichever nodes are asked`() async throws {
        let (first, second) = try await SharedBackend.postgreSQL.nodes()
        let form = "client_id=\(first.app.id)&scope=\(percentEncoded("openid User.Read"))"
        let begun = try await first.client.send(.post, "/\(first.tenant.id)/oauth2/v2.0/devicecode", body: form).json
        let browser = Browser(second)
        _ = try await browser.signIn(AuthorizeQuery(second))
        let typed = try await browser.type(userCode: try begun.string(ReplyName.userCode))
        _ = try await browser.confirm(typed, choice: "yes")
        let code = try begun.string(ReplyName.deviceCode)
        let answers = try await simultaneously(12) { number in
            try await (number % 2 == 0 ? first : second).token([
                "grant_type": GrantType.deviceCode.rawValue, "client_id": first.app.id.rawValue, "device_code": code,
            ])
        }
        #expect(answers.count { $0.status == .ok } == 1)
    }

    @Test func `a person does not get more devices by joining at two nodes`() async throws {
        let (first, second) = try await SharedBackend.postgreSQL.nodes { $0.devices.devicesPerPerson = 2 }
        let token = try await first.registrationToken("amara@contoso.test")
        let answers = try await simultaneously(8) { number in
            try await TestDevice(number % 2 == 0 ? first : second).join(token, isShared: false)
        }
        #expect(answers.count { $0.status == .ok } == 2)
        let devices = try await first.platform.database.read { try $0.rows("SELECT id FROM device") }
        #expect(devices.count == 2)
    }

    @Test func `a refresh token that is used at two nodes at once gets one successor`() async throws {
        let (first, second) = try await SharedBackend.postgreSQL.nodes()
        let refresh = try await first.signedIn().string(ReplyName.refreshToken)
        let answers = try await simultaneously(12) { number in
            try await (number % 2 == 0 ? first : second).refresh(refresh)
        }
        let next = Set(try answers.map { try $0.json.string(ReplyName.refreshToken) })
        #expect(next.count == 1)
        #expect(try await second.refresh(try #require(next.first)).status == .ok)
    }

    @Test func `an authorisation code is redeemed at most once, whichever nodes are asked`() async throws {
        let (first, second) = try await SharedBackend.postgreSQL.nodes()
        let code = try await Browser(first).signIn(AuthorizeQuery(first))[ParameterName.code]
        let answers = try await simultaneously(12) { number in
            try await (number % 2 == 0 ? first : second).redeem(code)
        }
        #expect(answers.count { $0.status == .ok } == 1)
    }

    @Test func `a shared device belongs to one worker, whichever nodes are asked`() async throws {
        let (first, second) = try await SharedBackend.postgreSQL.nodes()
        let device = try await TestDevice.joined(first)
        var forms: [FormParameters] = []
        for name in ["amara@contoso.test", "bo@contoso.test"] {
            let refresh = try await first.brokerTokens(name).string(ReplyName.refreshToken)
            let issue = PrimaryRefreshToken.IssueRequest(
                clientID: WellKnownApplication.broker, nonce: try await device.nonce(),
                scopes: PrimaryRefreshToken.scopes, proof: .refreshToken(Sensitive(refresh)),
                epoch: TestDevice.epoch(1))
            forms.append(
                PrimaryRefreshToken.form(
                    request: try issue.signed(with: .rsa(device.deviceKey), certificate: device.certificate)))
        }
        let answers = try await simultaneously(2) { [forms] number in
            try await (number == 0 ? first : second).client.send(
                .post, EndpointPath.token(tenant: first.tenant.id.rawValue), body: forms[number].encoded)
        }
        #expect(answers.count { $0.status == .ok } == 1, "\(answers.map(\.text))")
    }

    @Test func `a sign-in page that one node has shown can be submitted at another node`() async throws {
        let (first, second) = try await SharedBackend.postgreSQL.nodes()
        let browser = Browser(first)
        let page = try await browser.get(AuthorizeQuery(first).path)
        let answer = try await browser.at(second).submit(
            page, username: "amara@contoso.test", password: TestPlatform.password)
        let code = try answer.returned()[ParameterName.code]
        #expect(try await first.redeem(code).status == .ok)
    }
}
