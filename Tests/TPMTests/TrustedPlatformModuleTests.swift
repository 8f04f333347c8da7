// SPDX-License-Identifier: Apache-2.0
import DeviceKeyStore
import Redaction
import TPM
import TestSupport
import Testing

/// A software TPM 2.0: sealed secrets, and a TPM that is locked out, missing, unresponsive or owned.
@Suite struct TrustedPlatformModuleTests {
    private static let secret = SecretBytes(copying: Array("the sealing key of the device 12".utf8))
    private static let pin = SecretBytes(copying: Array("4711".utf8))
    private static let wrong = SecretBytes(copying: Array("4712".utf8))

    @Test func `a sealed secret opens only on its own chip, even after a power cut`() async throws {
        try await Scratch.with { scratch in
            let chip = try await SoftwareTPM.start(in: scratch)
            let module = TrustedPlatformModule(chip.configuration)
            let blob = try module.seal(Self.secret, authorization: nil)
            #expect(try module.unseal(blob, authorization: nil) == Self.secret)
            try await chip.stop()
            try await chip.start()
            #expect(try module.unseal(blob, authorization: nil) == Self.secret)

            let other = TrustedPlatformModule(try await SoftwareTPM.start("other", in: scratch).configuration)
            #expect(throws: TrustedPlatformFailure.foreign) { try other.unseal(blob, authorization: nil) }
        }
    }

    @Test func `a blob that was changed, truncated or invented is refused`() async throws {
        try await Scratch.with { scratch in
            let module = TrustedPlatformModule(try await SoftwareTPM.start(in: scratch).configuration)
            let blob = try module.seal(Self.secret, authorization: nil)
            for place in stride(from: 0, to: blob.count, by: 7) {
                var changed = blob
                changed[place] ^= 0x40
                #expect(throws: TrustedPlatformFailure.self) { try module.unseal(changed, authorization: nil) }
            }
            for made in [[], Array(blob.dropLast()), blob + [0], [UInt8](repeating: 0xff, count: 9000)] {
                #expect(throws: TrustedPlatformFailure.foreign) { try module.unseal(made, authorization: nil) }
            }
        }
    }

    @Test func `wrong authorizations are counted, and after too many even the right one is refused`() async throws {
        try await Scratch.with { scratch in
            let chip = try await SoftwareTPM.start(in: scratch)
            let module = TrustedPlatformModule(chip.configuration)
            let open = try module.seal(Self.secret, authorization: nil)
            let guarded = try module.seal(Self.secret, authorization: Self.pin)
            let key = try module.makeKey(.p256Signing)
            #expect(try module.unseal(guarded, authorization: Self.pin) == Self.secret)
            #expect(throws: TrustedPlatformFailure.wrongAuthorization) {
                try module.unseal(guarded, authorization: nil)
            }
            var refusals: [TrustedPlatformFailure] = []
            // The software TPM locks out after three tries; every other TPM locks out before 64 tries.
            while refusals.last != .lockedOut, refusals.count < 64 {
                let failure = #expect(throws: TrustedPlatformFailure.self) {
                    try module.unseal(guarded, authorization: Self.wrong)
                }
                if let failure { refusals.append(failure) }
            }
            #expect(refusals.dropLast().allSatisfy { $0 == .wrongAuthorization })
            #expect(refusals.last == .lockedOut)
            #expect(throws: TrustedPlatformFailure.lockedOut) { try module.unseal(guarded, authorization: Self.pin) }
            // Lock-out does not affect keys, nor secrets that need no authorization.
            #expect(try module.unseal(open, authorization: nil) == Self.secret)
            _ = try module.sign([UInt8](repeating: 7, count: 32), with: key)
            _ = try await chip.tool("tpm2_dictionarylockout", "--clear-lockout")
            #expect(try module.unseal(guarded, authorization: Self.pin) == Self.secret)
        }
    }

    @Test func `an authorization that is empty, all zeros or too long is refused`() async throws {
        try await Scratch.with { scratch in
            let module = TrustedPlatformModule(try await SoftwareTPM.start(in: scratch).configuration)
            for bytes in [[], [0, 0], [UInt8](repeating: 1, count: 33)] {
                #expect(throws: TrustedPlatformFailure.self) {
                    try module.seal(Self.secret, authorization: SecretBytes(copying: bytes))
                }
            }
            let padded = SecretBytes(copying: [1, 0, 2, 0])
            let blob = try module.seal(Self.secret, authorization: padded)
            #expect(try module.unseal(blob, authorization: padded) == Self.secret)
        }
    }

    @Test func `a hundred operations leave nothing loaded, and objects of other programs do no harm`() async throws {
        try await Scratch.with { scratch in
            let chip = try await SoftwareTPM.start(in: scratch)
            let module = TrustedPlatformModule(chip.configuration)
            let blob = try module.seal(Self.secret, authorization: nil)
            let guarded = try module.seal(Self.secret, authorization: Self.pin)
            let key = try module.makeKey(.p256Signing)
            for number in 0..<25 {
                _ = try module.unseal(blob, authorization: nil)
                _ = try module.unseal(guarded, authorization: Self.pin)
                _ = try module.sign([UInt8](repeating: UInt8(number), count: 32), with: key)
                #expect(throws: TrustedPlatformFailure.foreign) { try module.unseal([1], authorization: nil) }
            }
            #expect(try await chip.tool("tpm2_getcap", "handles-transient").isEmpty)
            #expect(try await chip.tool("tpm2_getcap", "handles-loaded-session").isEmpty)
            for _ in 0..<3 { _ = try await chip.tool("tpm2_createprimary", "-Q", "-c", scratch.path("left")) }
            #expect(try module.unseal(blob, authorization: nil) == Self.secret)
        }
    }

    @Test func `a missing chip is reported as unavailable, and works again once it is back`() async throws {
        try await Scratch.with { scratch in
            let chip = try await SoftwareTPM.start(in: scratch)
            let module = TrustedPlatformModule(chip.configuration)
            let blob = try module.seal(Self.secret, authorization: nil)
            try await chip.stop()
            for missing in [chip.configuration, "/dev/no-such-tpm", "no-such-library:", ""] {
                let failure = #expect(throws: TrustedPlatformFailure.self) {
                    try TrustedPlatformModule(missing).unseal(blob, authorization: nil)
                }
                #expect(failure?.code == "tpm_unavailable")
            }
            #expect(throws: TrustedPlatformFailure.self) { try module.advanceCounter() }
            try await chip.start()
            #expect(try module.unseal(blob, authorization: nil) == Self.secret)
        }
    }

    @Test func `a chip that never answers is given up, and later calls do not wait for it`() async throws {
        try await Scratch.with { scratch in
            let silent = try SilentTPM(in: scratch)
            defer { silent.close() }
            let module = TrustedPlatformModule(silent.configuration, patience: .milliseconds(500))
            #expect(throws: TrustedPlatformFailure.unresponsive) { try module.counter() }
            let before = try silent.connections()
            #expect(before > 0)
            for _ in 0..<3 {
                #expect(throws: TrustedPlatformFailure.unresponsive) { try module.counter() }
            }
            #expect(try silent.connections() == before)
        }
    }

    @Test func `several users of one chip take turns`() async throws {
        try await Scratch.with { scratch in
            let chip = try await SoftwareTPM.start(in: scratch)
            let blob = try TrustedPlatformModule(chip.configuration).seal(Self.secret, authorization: nil)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        let own = TrustedPlatformModule(chip.configuration, lock: scratch.path("lock"))
                        for _ in 0..<5 {
                            let secret = try own.unseal(blob, authorization: nil)
                            #expect(secret == Self.secret)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a chip whose owner authorization is set is refused with a remedy`() async throws {
        try await Scratch.with { scratch in
            let chip = try await SoftwareTPM.start(in: scratch)
            _ = try await chip.tool("tpm2_changeauth", "-c", "owner", "secret")
            let module = TrustedPlatformModule(chip.configuration)
            #expect(throws: TrustedPlatformFailure.owned) { try module.seal(Self.secret, authorization: nil) }
            #expect(TrustedPlatformFailure.owned.remedy.contains("tpm2_changeauth"))
        }
    }
}
