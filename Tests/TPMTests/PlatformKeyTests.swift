// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import DeviceKeyStore
import Foundation
import Redaction
import TPM
import TestSupport
import Testing

/// Keys that never leave the TPM. Another library verifies their signatures and encrypts the data that they decrypt.
@Suite struct PlatformKeyTests {
    private static let exponent = Data([1, 0, 1])

    @Test func `another library verifies the signature of an RSA key`() async throws {
        try await Scratch.with { scratch in
            let module = TrustedPlatformModule(try await SoftwareTPM.start(in: scratch).configuration)
            let key = try module.makeKey(.rsaSigning)
            let digest = SHA256.hash(data: Data("a request".utf8))
            let signature = try module.sign(Array(digest), with: key)
            let verifier = try _RSA.Signing.PublicKey(n: Data(key.published), e: Self.exponent)
            #expect(key.published.count == 256)
            let made = _RSA.Signing.RSASignature(rawRepresentation: Data(signature))
            #expect(verifier.isValidSignature(made, for: digest, padding: .insecurePKCS1v1_5))
            let other = SHA256.hash(data: Data("another".utf8))
            #expect(!verifier.isValidSignature(made, for: other, padding: .insecurePKCS1v1_5))
        }
    }

    @Test func `another library verifies the signature of a P-256 key, even with leading zeros`() async throws {
        try await Scratch.with { scratch in
            let module = TrustedPlatformModule(try await SoftwareTPM.start(in: scratch).configuration)
            let key = try module.makeKey(.p256Signing)
            let verifier = try P256.Signing.PublicKey(rawRepresentation: Data(key.published))
            for number in 0..<20 {
                let digest = SHA256.hash(data: Data([UInt8(number)]))
                let made = try P256.Signing.ECDSASignature(
                    rawRepresentation: Data(try module.sign(Array(digest), with: key)))
                #expect(verifier.isValidSignature(made, for: digest))
            }
        }
    }

    @Test func `data encrypted to a key of the chip can be decrypted only in that chip`() async throws {
        try await Scratch.with { scratch in
            let module = TrustedPlatformModule(try await SoftwareTPM.start(in: scratch).configuration)
            let key = try module.makeKey(.rsaDecryption)
            let sender = try _RSA.Encryption.PublicKey(n: Data(key.published), e: Self.exponent)
            let message = Data((0..<32).map { UInt8($0) })
            let encrypted = Array(try sender.encrypt(message, padding: .PKCS1_OAEP))
            #expect(try module.decrypt(encrypted, with: key) == SecretBytes(copying: message))

            let second = try module.makeKey(.rsaDecryption)
            for bad in [encrypted.map { $0 ^ 1 }, Array(encrypted.dropLast()), []] {
                #expect(throws: TrustedPlatformFailure.self) { try module.decrypt(bad, with: key) }
            }
            #expect(throws: TrustedPlatformFailure.self) { try module.decrypt(encrypted, with: second) }
        }
    }

    @Test func `a key can be used only for its purpose`() async throws {
        try await Scratch.with { scratch in
            let module = TrustedPlatformModule(try await SoftwareTPM.start(in: scratch).configuration)
            let (opens, signs) = (try module.makeKey(.rsaDecryption), try module.makeKey(.rsaSigning))
            let digest = [UInt8](repeating: 9, count: 32)
            #expect(throws: TrustedPlatformFailure.self) { try module.sign(digest, with: opens) }
            #expect(throws: TrustedPlatformFailure.self) {
                try module.decrypt([UInt8](repeating: 1, count: 256), with: signs)
            }
            #expect(throws: TrustedPlatformFailure.self) { try module.unseal(signs.blob, authorization: nil) }
        }
    }

    @Test func `the counter only increases, even over power cuts and after its removal`() async throws {
        try await Scratch.with { scratch in
            let chip = try await SoftwareTPM.start(in: scratch)
            let module = TrustedPlatformModule(chip.configuration)
            #expect(try module.counter() == nil)
            let first = try module.advanceCounter()
            #expect(try module.counter() == first)
            #expect(try module.advanceCounter() == first + 1)
            try await chip.stop()
            try await chip.start()
            #expect(try module.counter() == first + 1)
            _ = try await chip.tool("tpm2_nvundefine", "-C", "o", "0x1a5b470")
            #expect(try module.counter() == nil)
            #expect(try module.advanceCounter() > first + 1)
        }
    }

    @Test func `a TPM index that can be turned back is not accepted as the counter`() async throws {
        try await Scratch.with { scratch in
            let chip = try await SoftwareTPM.start(in: scratch)
            _ = try await chip.tool(
                "tpm2_nvdefine", "-C", "o", "-s", "8", "-a", "authread|authwrite|no_da", "0x1a5b470")
            let module = TrustedPlatformModule(chip.configuration)
            #expect(throws: TrustedPlatformFailure.foreign) { try module.counter() }
            #expect(throws: TrustedPlatformFailure.foreign) { try module.advanceCounter() }
        }
    }
}
