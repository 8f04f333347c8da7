// SPDX-License-Identifier: Apache-2.0
import Crypto
import DeviceHTTPS
import DeviceSettings
import Foundation
import Hummingbird
import HummingbirdTLS
import Logging
import MDMProtocol
import MDMServer
import NIOCore
import NIOSSL
import Redaction
import SwiftASN1
import Testing
import X509

/// Tests the device's HTTPS client against a TLS listener on loopback.
@Suite struct TLSTests {
    @Test func `the server identifies devices by the certificate of the TLS connection`() async throws {
        try await TestMDM.with { fixture in
            let (chain, key, trusted) = try Self.serverIdentity()
            try await withListener(fixture, chain: chain, key: key) { port in
                let device = try HandDevice(fixture, profile: try await fixture.enrollmentProfile(named: "tablet-1"))
                let mine = try Self.client(try identity(of: device), roots: trusted)
                let anonymous = try Self.client(nil, roots: trusted)
                let stranger = try Self.client(try Self.strangerIdentity(), roots: trusted)
                let distrusting = try Self.client(nil, roots: try Self.serverIdentity().root)
                let url = "https://mdm.baton.test:\(port)/mdm/\(TestMDM.tenant)"
                let message = CheckInMessage.authenticate(.init(udid: device.udid, topic: device.topic))
                let request = HTTPSClient.Request(
                    method: "PUT", url: url, headers: [("Content-Type", CheckInMessage.mediaType)],
                    body: try message.propertyList.xml())
                #expect(try await anonymous.send(request).status == 403)
                #expect(try await mine.send(request).status == 200)
                #expect(try await mine.send(request).status == 200)
                let other = try HandDevice(fixture, profile: try await fixture.enrollmentProfile(named: "tablet-2"))
                #expect(try await other.authenticate() == 200)
                let neighbour = try Self.client(try identity(of: other), roots: trusted)
                let refusal = try await neighbour.send(request)
                #expect(refusal.status == 403)
                #expect(Refusal.code(in: refusal.body) == nil)
                await neighbour.shutdown()
                await #expect(throws: HTTPSError.self) { try await stranger.send(request) }
                await #expect(throws: HTTPSError(.untrusted, "")) { try await distrusting.send(request) }
                let plain = HTTPSClient.Request(method: "GET", url: "http://mdm.baton.test:\(port)/")
                await #expect(throws: HTTPSError(.invalidURL, "")) { try await mine.send(plain) }
                // The other clients are dropped without a shutdown, which is also allowed.
                await mine.shutdown()
            }
        }
    }

    private static func client(_ identity: HTTPSClient.Identity?, roots: [UInt8]) throws -> HTTPSClient {
        try HTTPSClient(
            configuration: .init(
                trustRootsPEM: roots, dnsOverride: ["mdm.baton.test": "127.0.0.1"], identity: identity,
                connectTimeout: .seconds(120), retriesConnection: false, readTimeout: .seconds(120),
                totalTimeout: .seconds(300)))
    }

    private func identity(of device: HandDevice) throws -> HTTPSClient.Identity {
        HTTPSClient.Identity(certificates: [device.certificate], privateKey: device.privateKey)
    }

    private func withListener(
        _ fixture: TestMDM, chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource,
        _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let router = Router(context: MDMContext.self)
        fixture.management.addRoutes(to: router)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: router,
            server: try .tls(
                .http1(), tlsConfiguration: fixture.management.tls(certificateChain: chain, privateKey: key)),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) }, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            let number = await ports.first { _ in true }
            try await body(try #require(number))
            group.cancelAll()
        }
    }

    private static func serverIdentity() throws -> (
        chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource, root: [UInt8]
    ) {
        let key = P256.Signing.PrivateKey()
        let certificate = try selfSigned(key, name: "mdm.baton.test")
        let pem = try certificate.serializeAsPEM()
        return (
            [.certificate(try NIOSSLCertificate(bytes: pem.derBytes, format: .der))],
            .privateKey(try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)),
            Array(pem.pemString.utf8)
        )
    }

    private static func strangerIdentity() throws -> HTTPSClient.Identity {
        let key = P256.Signing.PrivateKey()
        let certificate = try selfSigned(key, name: "stranger")
        return HTTPSClient.Identity(
            certificates: [try certificate.serializeAsPEM().derBytes],
            privateKey: SecretBytes(copying: Array(key.derRepresentation)))
    }

    private static func selfSigned(_ key: P256.Signing.PrivateKey, name: String) throws -> Certificate {
        let subject = try DistinguishedName { CommonName(name) }
        return try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: Date() - 60,
            notValidAfter: Date() + 3_600, issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([.dnsName(name)])
            },
            issuerPrivateKey: .init(key))
    }
}
