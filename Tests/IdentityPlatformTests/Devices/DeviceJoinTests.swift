// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import JSON
import OAuth
import Redaction
import Storage
import StorageTestSupport
import SwiftASN1
import TestSupport
import Testing
import X509

@Suite struct DeviceJoinTests {
    private func devices(_ fixture: TestPlatform) async throws -> [Device] {
        try await fixture.platform.database.read { try Devices($0).all(tenant: fixture.tenant.id) }
    }

    @Test func `a worker may not join a shared device`() async throws {
        let fixture = try await TestPlatform()
        let answer = try await TestDevice(fixture).join(try await fixture.registrationToken("amara@contoso.test"))
        #expect(answer.status == .forbidden)
        #expect(answer.registrationCode == "authorization_failed")
        #expect(try answer.json.string(RegistrationName.message).contains("Cloud Device Administrator"))
        #expect(try await devices(fixture).isEmpty)
    }

    @Test(arguments: [DirectoryRole.cloudDeviceAdministrator, .globalAdministrator])
    func `an administrator of devices may join a shared device`(role: DirectoryRole) async throws {
        let fixture = try await TestPlatform()
        try await fixture.administration.users.assign(role, to: fixture.bo)
        let answer = try await TestDevice(fixture).join(try await fixture.registrationToken("bo@contoso.test"))
        #expect(answer.status == .ok)
        let device = try #require(try await devices(fixture).first)
        #expect(device.profileType == .shared)
        #expect(device.trustType == .joined)
        #expect(device.displayName == "TestDevice 1")
        #expect(!device.isManaged)
        #expect(device.id.rawValue != device.objectID.rawValue)
        #expect(try JoinReply(decoding: answer.body).userPrincipalName == "bo@contoso.test")
    }

    @Test func `a device that repeats its join with the same key remains one device`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.administration.users.assign(.cloudDeviceAdministrator, to: fixture.bo)
        let token = try await fixture.registrationToken("bo@contoso.test")
        let testDevice = try TestDevice(fixture)
        #expect(try await testDevice.join(token).status == .ok)
        let lost = try #require(try await devices(fixture).first)
        #expect(try await testDevice.join(token).status == .ok)
        let found = try await devices(fixture)
        #expect(found.count == 1 && found[0].id != lost.id)
        // A join with a different key adds a second device.
        #expect(try await TestDevice(fixture, number: 1).join(token).status == .ok)
        #expect(try await devices(fixture).count == 2)
    }

    @Test func `a device keeps its management name until it is no longer managed`() async throws {
        let fixture = try await TestPlatform()
        let (names, id) = (fixture.platform.managementNames, try await joinedDevice(fixture))
        let tenant = fixture.tenant.id
        #expect(try await names.set("udid", of: id, tenant: tenant).isNew)
        #expect(try await !names.set("udid", of: id, tenant: tenant).isNew)
        #expect(try await devices(fixture).first?.isManaged == true)
        let entries = try await names.page(of: tenant, after: nil, limit: 2)
        #expect(entries.map(\.device) == [id] && entries.map(\.name) == ["udid"])
        #expect(try await names.page(of: tenant, after: id, limit: 2).isEmpty)
        #expect(try await names.remove(entries[0]))
        #expect(try await !names.remove(entries[0]))
        #expect(try await devices(fixture).first?.isManaged == false)
        #expect(try await names.page(of: tenant, after: nil, limit: 2).isEmpty)
    }

    /// One node removes the name of an enrollment that has ended. Meanwhile, the device has enrolled again and proved
    /// the new enrollment to another node.
    @Test func `the end of an enrollment does not remove the name of the next one`() async throws {
        let interlude = InterleavedDatabase.Interlude()
        let fixture = try await TestPlatform(over: { InterleavedDatabase($0, interlude) })
        let id = try await joinedDevice(fixture)
        let second = try await fixture.restarted()
        let tenant = fixture.tenant.id
        #expect(try await fixture.platform.managementNames.set("former", of: id, tenant: tenant).isNew)
        let former = try #require(
            try await fixture.platform.managementNames.page(of: tenant, after: nil, limit: 1).first)
        interlude.set {
            let isNew = try await second.platform.managementNames.set("next", of: id, tenant: tenant).isNew
            #expect(isNew)
        }
        #expect(try await !fixture.platform.managementNames.remove(former))
        #expect(
            try await second.platform.managementNames.page(of: tenant, after: nil, limit: 1).map(\.name) == ["next"])
        #expect(try await devices(fixture).first?.isManaged == true)
    }

    /// Joins one device and returns its id.
    private func joinedDevice(_ fixture: TestPlatform) async throws -> DeviceID {
        try await fixture.administration.users.assign(.cloudDeviceAdministrator, to: fixture.bo)
        let answer = try await TestDevice(fixture).join(try await fixture.registrationToken("bo@contoso.test"))
        #expect(answer.status == .ok)
        return try #require(try await devices(fixture).first).id
    }

    @Test(arguments: [true, false])
    func `a device that was in use or is disabled is not replaced by a holder of its key`(isUsed: Bool) async throws {
        let fixture = try await TestPlatform()
        try await fixture.administration.users.assign(.cloudDeviceAdministrator, to: fixture.bo)
        let token = try await fixture.registrationToken("bo@contoso.test")
        let testDevice = try TestDevice(fixture)
        #expect(try await testDevice.join(token).status == .ok)
        let (id, tenant) = (try #require(try await devices(fixture).first).id, fixture.tenant.id)
        try await fixture.platform.database.write { connection in
            let change: SQL =
                isUsed
                ? "UPDATE device SET epochID = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', epochCounter = 1 WHERE tenant = \(tenant) AND id = \(id)"
                : "UPDATE device SET accountEnabled = \(false) WHERE tenant = \(tenant) AND id = \(id)"
            _ = try connection.execute(change)
        }
        #expect(try await testDevice.join(token).status == .ok)
        let found = try await devices(fixture)
        #expect(found.count == 2 && found.contains { $0.id == id })
    }

    @Test func `permission is decided by the directory at the join, not by the token`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.administration.users.assign(.cloudDeviceAdministrator, to: fixture.bo)
        let token = try await fixture.registrationToken("bo@contoso.test")
        let claims = try CompactJWS(token).claims()
        #expect(try claims.strings(ClaimName.directoryRoles) == [DirectoryRole.cloudDeviceAdministrator.id.rawValue])
        try await fixture.administration.users.unassign(.cloudDeviceAdministrator, from: fixture.bo)
        #expect(try await TestDevice(fixture).join(token).status == .forbidden)
        try await fixture.administration.users.assign(.cloudDeviceAdministrator, to: fixture.bo)
        #expect(try await TestDevice(fixture).join(token).status == .ok)
    }

    @Test func `the certificate names the device, the tenant and its purpose`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try await TestDevice.joined(fixture)
        let device = try #require(try await devices(fixture).first)
        let certificate = try testDevice.parsed
        #expect(certificate.subject.description == "CN=\(device.id)")
        #expect(certificate.issuer.description.contains("CN=MS-Organization-Access"))
        let unit = try #require(certificate.issuer.description.split(separator: ",").first { $0.contains("OU=") })
        #expect(DeviceID(rawValue: String(unit.split(separator: "=")[1])) != nil)
        #expect(certificate.signatureAlgorithm == .sha256WithRSAEncryption)
        #expect(certificate.publicKey == Certificate.PublicKey(testDevice.deviceKey.publicKey))
        let extensions = certificate.extensions
        #expect(try extensions.extendedKeyUsage == ExtendedKeyUsage([.clientAuth]))
        #expect(try extensions.basicConstraints == .notCertificateAuthority)
        #expect(try extensions.keyUsage == KeyUsage(digitalSignature: true))
        let seconds = certificate.notValidAfter.timeIntervalSince1970 - Double(fixture.clock.now.seconds)
        #expect(seconds == 10 * 365 * 86400)

        func value(_ suffix: UInt) throws -> [UInt8]? {
            let oid = try ASN1ObjectIdentifier(elements: [1, 2, 840, 113556, 1, 5, 284, suffix])
            return extensions[oid: oid].map { Array($0.value) }
        }
        func littleEndian(_ text: String) -> [UInt8] {
            let bytes = DeviceID(rawValue: text)?.bytes ?? []
            return [4, 16] + [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map { bytes[$0] }
        }
        #expect(try value(2) == littleEndian(device.id.rawValue))
        #expect(try value(3) == littleEndian(fixture.bo.id.rawValue))
        #expect(try value(5) == littleEndian(fixture.tenant.id.rawValue))
        #expect(try value(7) == [4, 1] + Array("1".utf8))
        #expect(try value(8) == [4, 2] + Array("EU".utf8))
    }

    @Test func `two devices have the same issuer, even after a restart of the server`() async throws {
        let fixture = try await TestPlatform()
        let first = try await TestDevice.joined(fixture)
        let restarted = try await fixture.restarted()
        let second = try await TestDevice.joined(restarted, number: 1)
        #expect(try first.parsed.issuer == second.parsed.issuer)
        #expect(try first.parsed.extensions.authorityKeyIdentifier == second.parsed.extensions.authorityKeyIdentifier)
    }

    @Test func `a join needs a token for device registration`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.administration.users.assign(.cloudDeviceAdministrator, to: fixture.bo)
        let testDevice = try TestDevice(fixture)
        let graph = try await fixture.signedIn("bo@contoso.test").string(ReplyName.accessToken)
        let drs = try await fixture.registrationToken("bo@contoso.test")
        for token in [nil, "x", graph, drs + "A"] {
            let answer = try await testDevice.join(token)
            #expect(answer.status == .unauthorized)
            #expect(answer.registrationCode == "authentication_required")
            #expect(answer.headers[.wwwAuthenticate] == "Bearer")
        }
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await testDevice.join(drs).status == .unauthorized)
    }

    @Test func `a malformed join is refused`() async throws {
        let fixture = try await TestPlatform()
        try await fixture.administration.users.assign(.cloudDeviceAdministrator, to: fixture.bo)
        let testDevice = try TestDevice(fixture)
        let token = try await fixture.registrationToken("bo@contoso.test")
        let request = try testDevice.request(isShared: true)
        let good = String(decoding: try request.encoded(), as: UTF8.self)
        var damaged = request.certificateRequest
        damaged[damaged.count - 1] ^= 1
        let bodies = [
            "", "{}", "[]", good.replacing("pkcs10", with: "cmc"),
            good.replacing(Base64.encode(request.certificateRequest), with: Base64.encode(damaged)),
            good.replacing(Base64.encode(request.certificateRequest), with: "MAA="),
            String(repeating: " ", count: 70_000) + good,
        ]
        for body in bodies {
            let answer = try await testDevice.join(token, body: body)
            #expect(answer.status == .badRequest)
            #expect(answer.registrationCode == "bad_request")
        }
        for version in ["", "?api-version=4.0", "?api-version="] {
            #expect(
                try await testDevice.join(token, body: good, version: version).registrationCode
                    == "unsupported_api_version")
        }
        #expect(try await devices(fixture).isEmpty)
    }

    @Test func `a foreign client's join of a person's own device is accepted`() async throws {
        let fixture = try await TestPlatform()
        let testDevice = try TestDevice(fixture)
        let request = try testDevice.request(isShared: false)
        guard case .rsa(let modulus, let exponent) = request.transportKey.key.numbers else {
            throw JOSEFailure.malformed
        }
        let key = #"{"kty":"RSA","n":"\#(Base64.encode(modulus))","e":"\#(Base64.encode(exponent))","alg":"RS256"}"#
        let body = String(decoding: try request.encoded(), as: UTF8.self)
            .replacing(try request.transportKey.encoded(), with: Base64.encode(Array(key.utf8)))
            .replacing(
                #""Attributes":{"SharedDevice":false}"#,
                with: #""attributes":{"ReuseDevice":"true","ReturnClientSid":"true"}"#)
        let answer = try await testDevice.join(try await fixture.registrationToken("amara@contoso.test"), body: body)
        #expect(answer.status == .ok)
        #expect(try await devices(fixture).first?.profileType == .personal)
    }

    @Test func `discovery and nonces are served only on the registration host`() async throws {
        let fixture = try await TestPlatform()
        let path = EndpointPath.registrationDiscovery(tenant: "contoso.test") + "?api-version=1.9&managed=True"
        let document = try await fixture.client.get(path, host: "drs.test:8443")
        #expect(document.status == .ok)
        #expect(document.text.contains(#""JoinEndpoint":"https://drs.test:8443/EnrollmentServer/device/""#))
        #expect(document.text.contains(#""JoinResourceId":"urn:ms-drs:drs.test""#))
        let nonce = try await fixture.client.get(
            EndpointPath.registrationNonce(tenant: fixture.tenant.id.rawValue) + "?api-version=1.0",
            host: "drs.test:8443"
        )
        #expect(try nonce.json.string(RegistrationName.value).utf8.count == 43)
        let unknown = try await fixture.client.get(
            EndpointPath.registrationDiscovery(tenant: "nowhere.test"), host: "drs.test:8443")
        #expect(unknown.registrationCode == "unknown_tenant")
        #expect(try await fixture.client.get(path).status == .notFound)
    }

    @Test func `every address in the discovery document is served`() async throws {
        let fixture = try await TestPlatform()
        let document = try await fixture.client.get(
            EndpointPath.registrationDiscovery(tenant: "contoso.test"), host: "drs.test:8443")
        let addresses = try document.json.values.values.flatMap { Self.addresses(in: $0) }
        #expect(addresses.count == 6)
        for address in addresses {
            let parts = try #require(address.hasPrefix("https://") ? address.dropFirst(8) : nil)
                .split(separator: "/", maxSplits: 1)
            var statuses: [HTTPResponse.Status] = []
            for method in [HTTPRequest.Method.get, .post] {
                statuses.append(
                    try await fixture.client.send(method, "/\(parts[1])", host: String(parts[0])).status)
            }
            #expect(statuses.contains { $0 != .notFound && $0 != .misdirectedRequest }, "\(address): \(statuses)")
        }
        let nowhere = try await fixture.client.send(.post, "/EnrollmentServer/nowhere", host: "drs.test:8443")
        #expect(nowhere.status == .notFound)
    }

    /// Returns all addresses in a value of the document, at any depth.
    private static func addresses(in value: JSONValue) -> [String] {
        if let object = value.object {
            return object.flatMap { name, value in
                name.hasSuffix("Endpoint") ? [value.string ?? ""] : addresses(in: value)
            }
        }
        return []
    }

    @Test(arguments: [
        String(repeating: "x", count: 257), "a\u{1b}]0;owned\u{7}", "a\nb", "a\u{202e}b", "a\u{200b}b", "a\u{2028}b",
        "\u{9b}2J",
    ])
    func `a name that is too long or contains control characters is refused`(name: String) async throws {
        let fixture = try await TestPlatform()
        let token = try await fixture.registrationToken("amara@contoso.test")
        let answer = try await TestDevice(fixture).join(token, isShared: false, name: name)
        #expect(answer.registrationCode == "bad_request")
        #expect(try await devices(fixture).isEmpty)
        #expect(try await TestDevice(fixture).join(token, isShared: false, name: "Zoë’s ☎ 平板").status == .ok)
    }

    @Test func `the number of a person's devices is limited, and they are removed with the person`() async throws {
        let fixture = try await TestPlatform { $0.devices.devicesPerPerson = 2 }
        try await fixture.administration.users.assign(.cloudDeviceAdministrator, to: fixture.bo)
        let shared = try await TestDevice(fixture).join(try await fixture.registrationToken("bo@contoso.test"))
        #expect(shared.status == .ok)
        let token = try await fixture.registrationToken("amara@contoso.test")
        for _ in 1...2 { #expect(try await TestDevice(fixture, number: 1).join(token, isShared: false).status == .ok) }
        let third = try await TestDevice(fixture, number: 1).join(token, isShared: false)
        #expect(third.status == .forbidden)
        #expect(third.registrationCode == "authorization_failed")
        #expect(try await devices(fixture).count == 3)

        var testDevice = try TestDevice(fixture, number: 1)
        testDevice.certificate = try JoinReply(
            decoding: try await testDevice.join(try await fixture.registrationToken("bo@contoso.test"), isShared: false)
                .body
        ).certificate
        try await fixture.administration.users.remove(fixture.amara)
        #expect(try await devices(fixture).compactMap(\.registeredOwner) == [fixture.bo.id])
        try await fixture.administration.users.remove(fixture.bo)
        #expect(try await devices(fixture).map(\.profileType) == [.shared])
        let refresh = try await fixture.administration.users.add(
            "cy@contoso.test", profile: User.Profile(displayName: "Cy"), password: Sensitive(TestPlatform.password),
            tenant: fixture.tenant)
        #expect(refresh.isEnabled)
        let answer = try await testDevice.issue(
            try await fixture.brokerTokens("cy@contoso.test").string(ReplyName.refreshToken))
        #expect(answer.errorNumber == 50155)
    }

    @Test func `joins are audited, refused ones too`() async throws {
        let fixture = try await TestPlatform()
        _ = try await TestDevice(fixture).join(try await fixture.registrationToken("amara@contoso.test"))
        let session = try await TestDevice.joined(fixture).session()
        _ = try await session.testDevice.session("bo@contoso.test", counter: 2)
        let lines = try await fixture.platform.database.read { try AuditLog($0).latest(50, tenant: fixture.tenant.id) }
        #expect(lines.filter { $0.action == "device.join" }.map(\.outcome) == ["refused", "done"])
        #expect(lines.filter { $0.action == "session.bind" }.map(\.subject).first == session.reply.sessionID)
        let end = try #require(lines.last { $0.action == "session.end" })
        #expect(end.subject == session.reply.sessionID && end.outcome == "handed-over")
        #expect(try end.actor == session.testDevice.id)
    }
}
