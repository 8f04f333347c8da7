// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation
import OAuth
import Testing

/// The examples of RFC 7515 appendix A, RFC 7636 appendix B and RFC 7638 section 3.1, and tokens that must be refused.
@Suite struct SignatureTests {
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    private static let hs256 =
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." + payload + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    private static func symmetric() throws -> VerificationKey {
        .symmetric(
            SymmetricKey(
                data: try Base64URL.decode(
                    "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")))
    }

    private static func key(_ json: String) throws -> JSONWebKey {
        try JSONWebKey(try Members(decoding: Array(json.utf8)))
    }

    @Test func `HS256 as in RFC 7515 A 1`() throws {
        let token = try CompactJWS(Self.hs256)
        try token.verify(with: try Self.symmetric())
        #expect(try token.claims().string(ClaimName.issuer) == "joe")
        #expect(try token.claims().integer(ClaimName.expiresAt) == 1_300_819_380)
        #expect(String(decoding: token.rawHeader, as: UTF8.self) == "{\"typ\":\"JWT\",\r\n \"alg\":\"HS256\"}")
    }

    @Test func `RS256 as in RFC 7515 A 2`() throws {
        let key = try Self.key(
            #"""
            {"kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Va\#
            w-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL\#
            -bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4L\#
            T6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}
            """#)
        let token = try CompactJWS(
            "eyJhbGciOiJSUzI1NiJ9." + Self.payload
                + """
                .cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5juj\
                Gbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7\
                K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np\
                6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
                """
        )
        try token.verify(with: try key.verificationKey())
    }

    @Test func `ES256 as in RFC 7515 A 3`() throws {
        let key = try Self.key(
            #"""
            {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_\#
            tue659LNpXW6pCyStikYjKIWI5a0"}
            """#)
        let token = try CompactJWS(
            "eyJhbGciOiJFUzI1NiJ9." + Self.payload
                + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
        try token.verify(with: try key.verificationKey())
    }

    @Test func `a key's thumbprint follows RFC 7638`() throws {
        let key = try Self.key(
            #"""
            {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhD\#
            R1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0\#
            _FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6\#
            WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS25\#
            6","kid":"2011-04-29"}
            """#)
        #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }

    @Test(arguments: [SigningKey.p256(P256.Signing.PrivateKey()), .symmetric(SymmetricKey(size: .bits256))])
    func `a signature is accepted only by the public half of its key`(key: SigningKey) throws {
        let text = try TokenSigner(key: key, keyID: "k").token(payload: Array(#"{"sub":"s"}"#.utf8))
        let token = try CompactJWS(text)
        try token.verify(with: key.verification)
        #expect(token.keyID == "k")
        let others: [VerificationKey] = [
            .p256(P256.Signing.PrivateKey().publicKey), .symmetric(SymmetricKey(size: .bits256)),
        ]
        for other in others {
            #expect(throws: JOSEFailure.self) { try token.verify(with: other) }
        }
    }

    @Test func `a published RSA key set verifies what the private key signs`() throws {
        let key = SigningKey.rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        let published = try JSONWebKey(key.verification)
        let named = JSONWebKey(numbers: published.numbers, keyID: published.thumbprint)
        let set = try JSONWebKeySet(decoding: JSONWebKeySet([named]).encoded)
        let token = try CompactJWS(try TokenSigner(key: key, keyID: named.thumbprint).token(payload: Array("{}".utf8)))
        let keyID = try #require(token.keyID)
        let found = try #require(set[keyID])
        try token.verify(with: try found.verificationKey())
    }

    @Test func `the header cannot make a public key serve as a MAC secret`() throws {
        let signing = P256.Signing.PrivateKey()
        let confused = SigningKey.symmetric(SymmetricKey(data: signing.publicKey.rawRepresentation))
        let token = try CompactJWS(try TokenSigner(key: confused, keyID: "k").token(payload: Array("{}".utf8)))
        #expect(throws: JOSEFailure.unsupported) { try token.verify(with: .p256(signing.publicKey)) }
    }

    @Test(arguments: [
        "", ".", "..", "a.b.c", "e30.e30", "e30.e30.", "e30.e30.AA.AA", "e30.e30.A", "e30=.e30.AA", "e30.e3 .AA",
        "W10.e30.AA", "bnVsbA.e30.AA", "eyJhbGciOiJub25lIn0.e30.", "eyJjcml0IjpbXX0.e30.AA",
        "eyJhbGciOiJIUzI1NiIsImNyaXQiOlsiYjY0Il19.e30.AA",
    ])
    func `a malformed or unsecured token is refused`(text: String) throws {
        let key = try Self.symmetric()
        #expect(throws: JOSEFailure.self) { try CompactJWS(text).verify(with: key) }
    }

    @Test func `a token over the size limit is refused before anything is decoded`() {
        let text = "e30." + String(repeating: "A", count: 40_000) + ".AA"
        #expect(throws: JOSEFailure.overLimit) { try CompactJWS(text) }
    }

    @Test func `x5c may be a list or a bare string`() throws {
        let list = try CompactJWS(Base64URL.encode(Array(#"{"x5c":["AQID"]}"#.utf8)) + ".e30.AA")
        let bare = try CompactJWS(Base64URL.encode(Array(#"{"x5c":"AQID"}"#.utf8)) + ".e30.AA")
        let other = try CompactJWS(Base64URL.encode(Array(#"{"x5c":[1]}"#.utf8)) + ".e30.AA")
        #expect(try list.certificates() == [[1, 2, 3]])
        #expect(try bare.certificates() == [[1, 2, 3]])
        #expect(throws: JOSEFailure.malformed) { try other.certificates() }
    }

    @Test func `the proof key follows RFC 7636`() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        #expect(ProofKey.challenge(for: verifier) == challenge)
        #expect(ProofKey.matches(verifier: verifier, challenge: challenge))
        #expect(!ProofKey.matches(verifier: verifier + "x", challenge: challenge))
        #expect(!ProofKey.matches(verifier: "short", challenge: ProofKey.challenge(for: "short")))
        #expect(ProofKey.verifier().utf8.count == 43)
    }
}
