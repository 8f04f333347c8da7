// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation
import OAuth
import Redaction
import Testing

/// A small generator whose seed is printed, so that a failing run can be repeated.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// Feeds damaged examples to every reader of foreign bytes. A reader may refuse them but must not trap, and must never
/// accept a damaged signature.
@Suite struct MutationTests {
    private let device = SigningKey.p256(P256.Signing.PrivateKey())

    private func read(_ bytes: [UInt8], _ key: SessionKey, _ transport: _RSA.Encryption.PrivateKey) {
        let text = String(decoding: bytes, as: UTF8.self)
        _ = try? Base64.decodeLeniently(text)
        _ = try? FormParameters(parsing: bytes)
        _ = try? Members(decoding: bytes)
        _ = try? JSONWebKeySet(decoding: bytes)
        _ = try? JoinRequest(decoding: bytes)
        _ = try? JoinReply(decoding: bytes)
        _ = try? TransportKey(decoding: text)
        _ = try? RSAPublicKeyBlob.decode(bytes)
        _ = try? PrimaryRefreshToken.IssueReply(decoding: bytes)
        _ = try? ClientInfo(decoding: text)
        _ = Scopes(parsing: text)
        _ = try? EncryptedReply.open(text, with: key)
        _ = try? EncryptedReply.openWithoutAuthentication(text, with: key)
        _ = try? SessionKeyEnvelope.open(text, with: transport)
        // A damaged token fails its signature check, so the claims inside are also read directly.
        if let claims = try? Members(decoding: bytes) {
            _ = try? PrimaryRefreshToken.IssueRequest(claims)
            _ = try? PrimaryRefreshToken.UseRequest(claims)
            _ = try? EndSessionRequest(claims)
        }
        guard let token = try? CompactJWS(text) else { return }
        _ = try? token.certificates()
        if let claims = try? DeviceSignedRequest.Unverified(token).verified(with: device.verification) {
            _ = try? PrimaryRefreshToken.IssueRequest(claims)
            _ = try? EndSessionRequest(claims)
        }
        if let claims = try? SessionSignedRequest.Unverified(token).verified(with: key) {
            _ = try? PrimaryRefreshToken.UseRequest(claims)
        }
    }

    private func examples(
        _ key: SessionKey, _ transport: _RSA.Encryption.PrivateKey, _ generator: inout SeededGenerator
    ) throws -> [[UInt8]] {
        let issue = PrimaryRefreshToken.IssueRequest(
            nonce: "n", proof: .password(username: Sensitive("u"), password: Sensitive("p")),
            epoch: DeviceEpoch(id: String(repeating: "0", count: 32), counter: 1))
        let use = PrimaryRefreshToken.UseRequest(
            token: Sensitive("a.b"), clientID: "c", redirectURI: nil, scopes: Scopes(["s"]), nonce: "n")
        let primitives = try transport.publicKey.getKeyPrimitives()
        let transportKey = TransportKey(
            JSONWebKey(numbers: .rsa(modulus: Array(primitives.modulus), exponent: Array(primitives.publicExponent))))
        let join = JoinRequest(
            certificateRequest: [0x30, 0], transportKey: transportKey, targetDomain: "d", deviceType: "t",
            operatingSystemVersion: "v", displayName: "n", isShared: true)
        let end = EndSessionRequest(
            CallBinding(audience: "https://login.test/", deviceID: "d", nonce: "n", issuedAt: 1), sessionID: "s",
            epoch: try #require(DeviceEpoch(id: String(repeating: "0", count: 32), counter: 1)),
            endsBrowserSession: true)
        let signed = [
            try issue.signed(with: device, certificate: [1, 2, 3]),
            try use.signed(with: key, now: 0, using: &generator),
            try end.signed(with: device, certificate: [1]),
        ]
        let payloads = try signed.map { try CompactJWS($0).rawPayload }
        return signed.map { Array($0.utf8) } + payloads + [
            Array(try EncryptedReply.seal(Array("{}".utf8), with: key, using: &generator).utf8),
            Array(try EncryptedReply.sealWithoutAuthentication(Array("{}".utf8), with: key, using: &generator).utf8),
            Array(try SessionKeyEnvelope.seal(key, to: transport.publicKey).utf8),
            try join.encoded(), Array(try transportKey.encoded().utf8), try Base64.decode(try transportKey.encoded()),
            JSONWebKeySet([transportKey.key]).encoded, Array("a=1&b=%20+&c".utf8),
        ]
    }

    private func mutate(_ example: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = example
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let offset = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[offset] = UInt8.random(in: .min ... .max, using: &generator)
            case 1: bytes.remove(at: offset)
            case 2: bytes.insert(Array(#"{}[]",:.=%&"#.utf8).randomElement(using: &generator) ?? 0, at: offset)
            case 3: bytes.removeLast(bytes.count - offset)
            default: bytes.append(contentsOf: bytes[offset...])
            }
        }
        return bytes
    }

    @Test func `no damaged input traps a reader`() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(state: seed)
        let key = SessionKey.random(using: &generator)
        let transport = try _RSA.Encryption.PrivateKey(keySize: .bits2048)
        for example in try examples(key, transport, &generator) {
            read(example, key, transport)
            for _ in 0..<300 { read(mutate(example, &generator), key, transport) }
        }
    }

    @Test func `no damaged signature is accepted`() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(state: seed)
        let text = try TokenSigner(key: device, keyID: "k").token(payload: Array(#"{"sub":"someone"}"#.utf8))
        for _ in 0..<2_000 {
            let damaged = mutate(Array(text.utf8), &generator)
            guard damaged != Array(text.utf8) else { continue }
            #expect(throws: JOSEFailure.self, "seed \(seed)") {
                try CompactJWS(String(decoding: damaged, as: UTF8.self)).verify(with: device.verification)
            }
        }
    }
}
