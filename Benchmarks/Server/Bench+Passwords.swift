// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import FoundationEssentials
import IdentityPlatform
import Storage
import TestSupport

extension Bench {
    /// Measures hashes by calling the library directly, and sign-ins through the page. A sign-in begins with the posted
    /// form with name and password, and ends with the redirect with a code.
    func signIns(_ load: Load) async throws -> (hashes: Measured, signIns: Measured) {
        let page = try await page(client: app.id.rawValue, scope: "openid User.Read")
        let cost = platform.configuration.passwordCost
        let (password, salt) = (Array(Self.password.utf8), [UInt8](repeating: 1, count: 16))
        let measured = try await load.inTurns([
            {
                _ = try KDF.Scrypt.deriveKey(
                    from: password, salt: salt, outputByteCount: 32, rounds: 1 << cost.logarithm,
                    blockSize: cost.blockSize, parallelism: cost.parallelism)
            },
            { try await page.submit(Self.amara, to: client) },
        ])
        return (measured[0], measured[1])
    }

    /// Measures P-256 signatures over data of a token's size, by calling the library directly.
    func curveSigning(_ load: Load) async throws -> Measured {
        let key = P256.Signing.PrivateKey()
        let message = [UInt8](repeating: 0x41, count: 1200)
        return try await load.run { _ in
            0
        } _: { count in
            count + (try key.signature(for: SHA256.hash(data: message)).rawRepresentation.count)
        }
    }

    /// Measures RSA signatures over data of a token's size, by calling the library directly.
    func signing(_ load: Load) async throws -> Measured {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let message = [UInt8](repeating: 0x41, count: 1200)
        return try await load.run { _ in
            0
        } _: { count in
            let signature = try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
            return count + signature.rawRepresentation.count
        }
    }
}
