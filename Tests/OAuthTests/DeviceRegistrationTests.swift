// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation
import OAuth
import Testing

@Suite struct DeviceRegistrationTests {
    private static let transport = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    private func key() throws -> JSONWebKey {
        try JSONWebKey(.rsa(try Self.transport.get().publicKey))
    }

    private func request() throws -> JoinRequest {
        JoinRequest(
            certificateRequest: [0x30, 0], transportKey: TransportKey(try key()), targetDomain: "baton.test",
            deviceType: "Linux", operatingSystemVersion: "12", displayName: "TestDevice 1", isShared: true)
    }

    @Test func `a key blob of 2048 bits has the 283 bytes of its format`() throws {
        let blob = try Base64.decode(try TransportKey(try key()).encoded())
        #expect(blob.count == 283)
        #expect(Array(blob.prefix(14)) == Array("RSA1".utf8) + [0, 8, 0, 0, 3, 0, 0, 0, 0, 1])
        #expect(Array(blob[14..<24]) == [UInt8](repeating: 0, count: 10))
        #expect(Array(blob[24..<27]) == [1, 0, 1])
        #expect(try TransportKey(decoding: Base64.encode(blob)).key == key())
    }

    @Test func `a transport key may be a JWK with numbers in standard base64`() throws {
        guard case .rsa(let modulus, let exponent) = try key().numbers else { throw JOSEFailure.unsupported }
        let json = #"{"kty":"RSA","n":"\#(Base64.encode(modulus))","e":"\#(Base64.encode(exponent))","kid":"X"}"#
        let read = try TransportKey(decoding: Base64.encode(Array(json.utf8)))
        #expect(read.key.numbers == (try key().numbers))
    }

    @Test func `a join is decoded as it was encoded`() throws {
        let request = try request()
        let read = try JoinRequest(decoding: try request.encoded())
        #expect(read.certificateRequest == [0x30, 0])
        #expect(read.transportKey == request.transportKey)
        #expect(read.displayName == "TestDevice 1")
        #expect(read.joinType == .join)
        #expect(read.isShared)
    }

    @Test func `attributes are accepted in either case and as text`() throws {
        let text = String(decoding: try request().encoded(), as: UTF8.self)
        for (attributes, isShared) in [
            (#""attributes":{"SharedDevice":"true"}"#, true), (#""attributes":{"ReuseDevice":"true"}"#, false),
            (#""Attributes":{}"#, false), (#""Attributes":{"SharedDevice":"false"}"#, false),
        ] {
            let changed = text.replacing(#""Attributes":{"SharedDevice":true}"#, with: attributes)
            #expect(try JoinRequest(decoding: Array(changed.utf8)).isShared == isShared)
        }
    }

    @Test(arguments: [
        #""Type":"pkcs10""#: #""Type":"cmc""#, #""JoinType":0"#: #""JoinType":6"#,
        #""SharedDevice":true"#: #""SharedDevice":"maybe""#, #""TransportKey":""#: #""TransportKey":"AAAA"#,
        #""Data":"MAA=""#: #""Data":7"#,
    ])
    func `a malformed join is refused`(good: String, bad: String) throws {
        let text = String(decoding: try request().encoded(), as: UTF8.self)
        let changed = text.replacing(good, with: bad)
        #expect(changed != text)
        #expect(throws: (any Error).self) { try JoinRequest(decoding: Array(changed.utf8)) }
    }

    @Test func `short, long and inconsistent key blobs are refused`() throws {
        let blob = try Base64.decode(try TransportKey(try key()).encoded())
        var variants = [[], Array(blob.prefix(23)), Array(blob.dropLast()), blob + [0]]
        let lies: [(Int, UInt8)] = [
            (0, 0), (4, 1), (5, 0x10), (5, 0), (8, 5), (8, 0), (11, 0xff), (15, 0xff), (16, 1),
        ]
        for (offset, value) in lies {
            var changed = blob
            changed[offset] = value
            variants.append(changed)
        }
        for variant in variants {
            #expect(throws: JOSEFailure.malformed) { try RSAPublicKeyBlob.decode(variant) }
        }
    }
}
