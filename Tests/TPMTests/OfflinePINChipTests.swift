// SPDX-License-Identifier: Apache-2.0
import BrokerSession
import DeviceKeyStore
import Redaction
import TPM
import TestSupport
import Testing

/// A worker's PIN in a software TPM 2.0.
@Suite struct OfflinePINChipTests {
    private static let pin = SecretBytes(copying: Array("480271".utf8))
    private static let longest = SecretBytes(copying: Array("48027148027148027148027148027159".utf8))

    @Test
    func `the chip checks a PIN, and after too many wrong ones checks none until the lock-out is over`()
        async throws
    {
        try await Scratch.with { scratch in
            let chip = try await SoftwareTPM.start(in: scratch)
            let module = TrustedPlatformModule(chip.configuration)
            let kept = try OfflinePIN(Self.pin, platform: module)
            let other = try OfflinePIN(Self.longest, platform: module)
            #expect(kept.isUnderPlatform)
            #expect(try kept.matches(Self.pin, platform: module))
            #expect(try other.matches(Self.longest, platform: module))
            #expect(try !kept.matches(SecretBytes(copying: Array("480272".utf8)), platform: module))
            var failure: TrustedPlatformFailure?
            // The software TPM locks out after three tries; every other TPM locks out before 64 tries.
            for guess in 480_300..<480_364 where failure == nil {
                do {
                    #expect(try !kept.matches(SecretBytes(copying: Array("\(guess)".utf8)), platform: module))
                } catch let error as TrustedPlatformFailure { failure = error }
            }
            #expect(failure == .lockedOut)
            #expect(throws: TrustedPlatformFailure.lockedOut) { try kept.matches(Self.pin, platform: module) }
            _ = try await chip.tool("tpm2_dictionarylockout", "--clear-lockout")
            #expect(try kept.matches(Self.pin, platform: module))
        }
    }

    @Test func `a PIN that one chip sealed cannot be checked by another chip or without one`() async throws {
        try await Scratch.with { scratch in
            let module = TrustedPlatformModule(try await SoftwareTPM.start(in: scratch).configuration)
            let kept = try OfflinePIN(Self.pin, platform: module)
            let other = TrustedPlatformModule(try await SoftwareTPM.start("other", in: scratch).configuration)
            #expect(throws: TrustedPlatformFailure.foreign) { try kept.matches(Self.pin, platform: other) }
            #expect(throws: TrustedPlatformFailure.self) { try kept.matches(Self.pin, platform: nil) }
        }
    }
}
