// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import Redaction
import Testing

@testable import OAuth

/// The published vectors of the PRT dialect: session key 00…1f, context 40…57, payload `{"a":1}`.
@Suite struct VectorTests {
    private let key = SessionKey(SecretBytes(copying: 0..<32))
    private let context = Array<UInt8>(0x40...0x57)
    private let payload = Array(#"{"a":1}"#.utf8)

    private func hexadecimal(_ key: SymmetricKey) -> String {
        unsafe key.withUnsafeBytes { bytes in unsafe bytes.map { String(format: "%02x", $0) }.joined() }
    }

    @Test func `key derivation version 1 gives the published key`() throws {
        let key = try #require(key)
        let expected = "261704508fac96248f7d3be91a017495fc867b984effbbd36059d69719da6375"
        #expect(hexadecimal(key.derived(context: context)) == expected)
        #expect(hexadecimal(key.derived(context: context, payload: payload, version: .one)) == expected)
    }

    @Test func `key derivation version 2 gives the published key`() throws {
        let derived = try #require(key).derived(context: context, payload: payload, version: .two)
        #expect(hexadecimal(derived) == "5997fec8bd6b18de085b0eabd0d6323a4185dc5de9172980d103aa35dbba5790")
    }

    @Test func `a request with version 2 has the published form, and can be verified`() throws {
        let key = try #require(key)
        let text = try SessionSignedRequest.sign(payload: payload, with: key, version: .two, context: context)
        #expect(
            text == "eyJhbGciOiJIUzI1NiIsImN0eCI6IlFFRkNRMFJGUmtkSVNVcExURTFPVDFCUlVsTlVWVlpYIiwia2RmX3ZlciI6Mn0"
                + ".eyJhIjoxfQ.onTe4261jtZO5ruvMaXQedouSKHnl7guAoD26f2JtFc")
    }

    static let gcm =
        "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwiY3R4IjoiUUVGQ1EwUkZSa2RJU1VwTFRFMU9UMUJSVWxOVVZWWlgifQ"
        + "..AAECAwQFBgcICQoL.tAZlkQ1PXQ.gZPMer8P8Noy-tZxlMbk7g"
    static let cbc =
        "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwiY3R4IjoiUUVGQ1EwUkZSa2RJU1VwTFRFMU9UMUJSVWxOVVZWWlgifQ"
        + "..AAECAwQFBgcICQoLDA0ODw.oN2JrxXz7BF3J_sgaGUzzQ."

    @Test func `the encrypted reply has the published form, and can be decrypted`() throws {
        let key = try #require(key)
        let text = try EncryptedReply.seal(
            payload, with: key, context: context, initialisationVector: Array(0..<12))
        #expect(text == Self.gcm)
        #expect(try EncryptedReply.open(Self.gcm, with: key) == payload)
    }

    @Test func `the unauthenticated reply is decrypted only by the function for it`() throws {
        let key = try #require(key)
        let text = try EncryptedReply.sealWithoutAuthentication(
            payload, with: key, context: context, initialisationVector: Array(0..<16))
        #expect(text == Self.cbc)
        #expect(try EncryptedReply.openWithoutAuthentication(Self.cbc, with: key) == payload)
        #expect(throws: JOSEFailure.unsupported) { try EncryptedReply.open(Self.cbc, with: key) }
        #expect(throws: JOSEFailure.unsupported) { try EncryptedReply.openWithoutAuthentication(Self.gcm, with: key) }
    }

    @Test func `a changed byte anywhere in the encrypted reply is detected`() throws {
        let key = try #require(key)
        for offset in Self.gcm.utf8.indices.map({ Self.gcm.utf8.distance(from: Self.gcm.startIndex, to: $0) }) {
            var bytes = Array(Self.gcm.utf8)
            bytes[offset] = bytes[offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let changed = String(decoding: bytes, as: UTF8.self)
            #expect(throws: JOSEFailure.self, "byte \(offset)") { try EncryptedReply.open(changed, with: key) }
        }
    }
}
