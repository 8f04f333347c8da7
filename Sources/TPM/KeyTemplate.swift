// SPDX-License-Identifier: Apache-2.0
internal import CTSS
internal import DeviceKeyStore

/// The templates of the keys in the TPM (TPM 2.0 library, part 1, section 27). No key can leave the TPM, and each key
/// has one use.
enum KeyTemplate {
    private static let fixed = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_USERWITHAUTH

    /// The storage key. The TPM derives it from its seed each time, so it does not have to be stored.
    static var storage: TPM2B_PUBLIC {
        var area = area(
            TPM2_ALG_ECC,
            fixed | TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_NODA | TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT)
        var curve = curve(scheme: TPM2_ALG_NULL)
        curve.symmetric.algorithm = TPM2_ALG_AES
        unsafe curve.symmetric.keyBits.aes = 128
        unsafe curve.symmetric.mode.aes = TPM2_ALG_CFB
        unsafe area.parameters.eccDetail = curve
        return TPM2B_PUBLIC(size: 0, publicArea: area)
    }

    /// A sealed secret. If it has its own authorization, it is subject to the TPM's dictionary-attack lock-out.
    static func sealed(isAuthorized: Bool) -> TPM2B_PUBLIC {
        var area = area(TPM2_ALG_KEYEDHASH, isAuthorized ? fixed : fixed | TPMA_OBJECT_NODA)
        unsafe area.parameters.keyedHashDetail.scheme.scheme = TPM2_ALG_NULL
        return TPM2B_PUBLIC(size: 0, publicArea: area)
    }

    static func key(_ kind: TPMKey.Kind) -> TPM2B_PUBLIC {
        let own = fixed | TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_NODA
        var area: TPMT_PUBLIC
        switch kind {
        case .rsaSigning:
            area = self.area(TPM2_ALG_RSA, own | TPMA_OBJECT_SIGN_ENCRYPT)
            unsafe area.parameters.rsaDetail = rsa(scheme: TPM2_ALG_RSASSA, hash: TPM2_ALG_SHA256)
        case .rsaDecryption:
            area = self.area(TPM2_ALG_RSA, own | TPMA_OBJECT_DECRYPT)
            unsafe area.parameters.rsaDetail = rsa(scheme: TPM2_ALG_OAEP, hash: TPM2_ALG_SHA1)
        case .p256Signing:
            area = self.area(TPM2_ALG_ECC, own | TPMA_OBJECT_SIGN_ENCRYPT)
            var curve = curve(scheme: TPM2_ALG_ECDSA)
            unsafe curve.scheme.details.ecdsa.hashAlg = TPM2_ALG_SHA256
            unsafe area.parameters.eccDetail = curve
        }
        return TPM2B_PUBLIC(size: 0, publicArea: area)
    }

    private static func area(_ type: TPMI_ALG_PUBLIC, _ attributes: TPMA_OBJECT) -> TPMT_PUBLIC {
        var area = TPMT_PUBLIC()
        (area.type, area.nameAlg, area.objectAttributes) = (type, TPM2_ALG_SHA256, attributes)
        return area
    }

    private static func curve(scheme: TPMI_ALG_ECC_SCHEME) -> TPMS_ECC_PARMS {
        var curve = TPMS_ECC_PARMS()
        curve.curveID = TPM2_ECC_NIST_P256
        curve.scheme.scheme = scheme
        curve.kdf.scheme = TPM2_ALG_NULL
        curve.symmetric.algorithm = TPM2_ALG_NULL
        return curve
    }

    /// RSA with 2048 bits; exponent 0 means 65537.
    private static func rsa(scheme: TPMI_ALG_RSA_SCHEME, hash: TPMI_ALG_HASH) -> TPMS_RSA_PARMS {
        var rsa = TPMS_RSA_PARMS()
        rsa.keyBits = 2048
        rsa.symmetric.algorithm = TPM2_ALG_NULL
        rsa.scheme.scheme = scheme
        unsafe rsa.scheme.details.anySig.hashAlg = hash
        return rsa
    }
}
