// SPDX-License-Identifier: Apache-2.0
import Crypto
import OAuth
import X509

/// The join request of a device with P-256 keys, as a Mac sends it.
struct CurveJoin {
    let device: P256.Signing.PrivateKey
    let transport: P256.Signing.PrivateKey
    var keyType = "ECC"

    var body: String {
        get throws {
            let csr = try ForeignRequest(Certificate.PrivateKey(device), .ecdsaWithSHA256).encoded
            let point = Array(transport.publicKey.rawRepresentation)
            let (x, y) = (Base64.encode(point.prefix(32)), Base64.encode(point.suffix(32)))
            let jwk =
                #"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\#(x)\",\"y\":\"\#(y)\",\"kid\":\"A\"}"#
            return #"{"AikCertificate":"","AttestationData":"","CertificateRequest":{"Data":"\#(csr)","#
                + #""KeySecurity":"SecureEnclave","KeyType":"ECC","Type":"pkcs10"},"DeviceDisplayName":"Mac","#
                + #""DeviceKeys":[{"Data":"\#(jwk)","Encoding":"JWK","Type":"\#(keyType)","Usage":"STK"}],"#
                + #""DeviceType":"MacOS","JoinType":0,"OSVersion":"14.5.0","TargetDomain":"iminyour.cloud"}"#
        }
    }
}
