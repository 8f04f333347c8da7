// SPDX-License-Identifier: Apache-2.0
import CryptoExtras
import HTTPTypes
import IdentityPlatform
import OAuth
import Redaction
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// From the next request on, a node refuses what the other node has disabled, removed or revoked.
@Suite struct NodeRevocationTests {
    enum Revocation: CaseIterable {
        case person, personRemoved, device, deviceRemoved, client, clientRemoved, sessions, tenant

        func make(at node: TestPlatform, device: DeviceID) async throws {
            let administration = node.administration
            switch self {
            case .person: try await administration.users.setEnabled(false, node.amara)
            case .personRemoved: try await administration.users.remove(node.amara)
            case .device: try await administration.devices.setEnabled(false, device, tenant: node.tenant)
            case .deviceRemoved: try await administration.devices.remove(device, tenant: node.tenant)
            case .client: try await administration.clients.setEnabled(false, node.app)
            case .clientRemoved: try await administration.clients.remove(node.app)
            case .sessions: try await administration.users.revokeSessions(of: node.amara)
            case .tenant:
                try await administration.devices.remove(device, tenant: node.tenant)
                _ = try await administration.tenants.remove(node.tenant)
            }
        }

        var concernsDevice: Bool { [.device, .deviceRemoved, .tenant].contains(self) }
        var concernsClient: Bool { [.client, .clientRemoved, .tenant].contains(self) }
        var concernsPerson: Bool { [.person, .personRemoved, .sessions, .tenant].contains(self) }
    }

    enum Use: CaseIterable {
        case graph, userInfo, refresh, primary, renewal, issue, deviceToken, code, deviceCode, browser, own

        /// Whether the use must be refused after a revocation.
        func isEnded(by revocation: Revocation) -> Bool {
            switch self {
            case .graph, .userInfo, .refresh, .primary: true
            case .renewal, .issue, .own: !revocation.concernsClient || revocation == .tenant
            case .deviceToken: revocation.concernsDevice || revocation.concernsClient
            case .code, .deviceCode, .browser: revocation.concernsClient || revocation.concernsPerson
            }
        }
    }

    /// What a worker, their device and their apps hold at the first node.
    private struct Held {
        let session: TestDeviceSession
        let app: Members
        let own: Members
        let browser: Browser
        let code: String?
        let deviceCode: String

        init(_ node: TestPlatform) async throws {
            session = try await TestDevice.joined(node).session()
            app = try await session.tokens(scopes: ["openid", "profile", "offline_access", "User.Read"])
            own = try await session.tokens()
            browser = Browser(node)
            code = try await browser.signIn(AuthorizeQuery(node))[ParameterName.code]
            let form = "client_id=\(node.app.id)&scope=\(percentEncoded("openid User.Read"))"
            let begun = try await node.client.send(.post, "/\(node.tenant.id)/oauth2/v2.0/devicecode", body: form).json
            deviceCode = try begun.string(ReplyName.deviceCode)
            let typed = try await browser.type(userCode: try begun.string(ReplyName.userCode))
            _ = try await browser.confirm(typed, choice: "yes")
        }

        func isAccepted(_ use: Use, at node: TestPlatform) async throws -> Bool {
            switch use {
            case .graph: try await node.me(try app.string(ReplyName.accessToken)).status == .ok
            case .own: try await isLive(at: node)
            case .userInfo:
                try await node.client.get(
                    "/oidc/userinfo", host: "graph.test",
                    headers: [.authorization: "Bearer \(try app.string(ReplyName.accessToken))"]
                ).status == .ok
            case .refresh: try await node.refresh(try app.string(ReplyName.refreshToken)).status == .ok
            case .primary: try await session.at(node).use().status == .ok
            case .renewal: try await session.at(node).renew().status == .ok
            case .issue:
                try await session.testDevice.at(node).issue(session.brokerRefreshToken).status == .ok
            case .deviceToken: try await deviceToken(session.testDevice.at(node)).status == .ok
            case .code: try await node.redeem(code).status == .ok
            case .deviceCode:
                try await node.token([
                    "grant_type": GrantType.deviceCode.rawValue, "client_id": node.app.id.rawValue,
                    "device_code": deviceCode,
                ]).status == .ok
            case .browser:
                try await browser.at(node).get(AuthorizeQuery(node, ["prompt": "none"]).path).code != nil
            }
        }

        private func isLive(at node: TestPlatform) async throws -> Bool {
            let answer = try await session.testDevice.at(node).ask(
                counter: session.counter, sessionID: session.reply.sessionID)
            guard answer.status == .ok else { return false }
            return try SessionStatusRequest.status(decoding: answer.body) == .live
        }

        private func deviceToken(_ device: TestDevice) async throws -> TestResponse {
            let node = device.fixture
            return try await device.send(
                try DeviceTokenGrantRequest(
                    clientID: node.app.id.rawValue, redirectURI: nil, scopes: Scopes([]),
                    resource: "https://graph.microsoft.com", nonce: try await device.nonce()
                ).form(
                    signedWith: .rsa(device.deviceKey), certificate: device.certificate,
                    audience: "https://login.test:8443\(EndpointPath.token(tenant: node.tenant.id.rawValue))"))
        }
    }

    @Test(arguments: Use.allCases)
    func `each use is accepted at the other node before anything is revoked`(use: Use) async throws {
        let (first, second) = try await SharedBackend.turns.nodes()
        let held = try await Held(first)
        #expect(try await held.isAccepted(use, at: second))
    }

    @Test(arguments: Revocation.allCases)
    func `what one node has revoked is refused by the other node at once`(revocation: Revocation) async throws {
        for use in Use.allCases where use.isEnded(by: revocation) {
            let (first, second) = try await SharedBackend.turns.nodes()
            let held = try await Held(first)
            // The second node has served the worker before, so its cache contains everything that it ever caches.
            #expect(try await second.me(try held.own.string(ReplyName.accessToken)).status == .ok)
            let device = try #require(DeviceID(rawValue: try held.session.testDevice.id))
            try await revocation.make(at: first, device: device)
            #expect(try await !held.isAccepted(use, at: second), "\(use)")
        }
    }

    // MARK: - Between a node's check and its transaction

    private func interleaved() async throws -> (
        first: TestPlatform, second: TestPlatform, interlude: InterleavedDatabase.Interlude
    ) {
        let interlude = InterleavedDatabase.Interlude()
        let first = try await TestPlatform(over: { SharedDatabase($0) })
        let second = try await first.restarted(over: { InterleavedDatabase($0, interlude) })
        return (first, second, interlude)
    }

    @Test(arguments: Revocation.allCases)
    func `what is revoked after a node's check is refused by the node's transaction`(
        revocation: Revocation
    ) async throws {
        let written: [Use] = [.refresh, .renewal, .issue, .deviceToken, .code, .deviceCode, .browser]
        for use in written where use.isEnded(by: revocation) && revocation != .tenant {
            let (first, second, interlude) = try await interleaved()
            let held = try await Held(first)
            let device = try #require(DeviceID(rawValue: try held.session.testDevice.id))
            interlude.set { try await revocation.make(at: first, device: device) }
            #expect(try await !held.isAccepted(use, at: second), "\(use)")
        }
    }

    @Test func `a password signs nobody in to an application that is disabled meanwhile`() async throws {
        let (first, second, interlude) = try await interleaved()
        let browser = Browser(second)
        let page = try await browser.get(AuthorizeQuery(second).path)
        // The first write counts the attempt; the second one begins the session.
        interlude.set { interlude.set { try await first.administration.clients.setEnabled(false, first.app) } }
        let answer = try await browser.submit(page, username: "amara@contoso.test", password: TestPlatform.password)
        #expect(answer.code == nil)
        let sessions = try await first.platform.database.read { try $0.rows("SELECT id FROM session") }
        #expect(sessions.isEmpty)
    }

    @Test func `a device is not joined for a person, session or application that is revoked meanwhile`() async throws {
        let revocations: [@Sendable (TestPlatform) async throws -> Void] = [
            { try await $0.administration.users.setEnabled(false, $0.bo) },
            { try await $0.administration.users.revokeSessions(of: $0.bo) },
            { try await $0.administration.users.unassign(.cloudDeviceAdministrator, from: $0.bo) },
        ]
        for revoke in revocations {
            let (first, second, interlude) = try await interleaved()
            try await first.administration.users.assign(.cloudDeviceAdministrator, to: first.bo)
            let token = try await first.registrationToken("bo@contoso.test")
            interlude.set { try await revoke(first) }
            #expect(try await TestDevice(second).join(token).status != .ok)
            let devices = try await first.platform.database.read { try $0.rows("SELECT id FROM device") }
            #expect(devices.isEmpty)
        }
    }

    @Test func `a worker's own key is not stored for a session that is revoked meanwhile`() async throws {
        let (first, second, interlude) = try await interleaved()
        var device = try TestDevice(first)
        let registration = try await first.registrationToken("amara@contoso.test")
        device.certificate = try JoinReply(
            decoding: try await device.join(registration, isShared: false).body
        ).certificate
        let refresh = try await first.brokerTokens(
            "amara@contoso.test", scope: "openid offline_access urn:ms-drs:drs.test/.default")
        let issued = try await device.issue(try refresh.string(ReplyName.refreshToken))
        #expect(issued.status == .ok, "\(issued.text)")
        let numbers = try device.transportKey.publicKey.getKeyPrimitives()
        let blob = RSAPublicKeyBlob.encode(
            modulus: Array(numbers.modulus), exponent: Array(numbers.publicExponent))
        interlude.set { try await first.administration.users.revokeSessions(of: first.amara) }
        let answer = try await second.client.send(
            .post, EndpointPath.helloKey + "?api-version=1.0", host: "drs.test:8443",
            headers: [.authorization: "Bearer \(try refresh.string(ReplyName.accessToken))"],
            body: #"{"kngc":"\#(Base64.encode(blob))"}"#)
        #expect(answer.status != .ok)
        let keys = try await first.platform.database.read { try $0.rows("SELECT person FROM helloKey") }
        #expect(keys.isEmpty)
    }

    // MARK: - Signing keys

    @Test func `after an immediate rotation at one node, the other node signs with the new key`() async throws {
        let (first, second) = try await SharedBackend.turns.nodes()
        let held = try await second.signedIn()
        first.clock.advance(by: .seconds(1))
        try await first.administration.tenants.rotateKeys(of: first.tenant, immediately: true)
        let keys = try await first.platform.keys.all(of: first.tenant.id)
        let newest = try #require(keys.filter { $0.algorithm == .rs256 }.max { $0.signs < $1.signs })
        let next = try await second.refresh(try held.string(ReplyName.refreshToken)).json
        for name in [ReplyName.accessToken, .idToken] {
            #expect(try CompactJWS(try next.string(name)).keyID == newest.id)
        }
    }

    @Test func `a token that one node has signed with a new key is accepted by the other node`() async throws {
        let (first, second) = try await SharedBackend.turns.nodes()
        let held = try await first.signedIn()
        #expect(try await second.me(try held.string(ReplyName.accessToken)).status == .ok)
        first.clock.advance(by: .seconds(1))
        try await first.administration.tenants.rotateKeys(of: first.tenant, immediately: true)
        let next = try await first.refresh(try held.string(ReplyName.refreshToken)).json
        #expect(try await second.me(try next.string(ReplyName.accessToken)).status == .ok)
        let document = try await second.client.get("/\(second.tenant.id)/discovery/v2.0/keys")
        #expect(try JSONWebKeySet(decoding: document.body).keys.count == 4)
    }
}

extension TestResponse {
    /// The code in the address to which the browser is sent; nil if there is none.
    fileprivate var code: String? {
        headers[.location] == nil ? nil : (try? returned()[ParameterName.code]) ?? nil
    }
}
