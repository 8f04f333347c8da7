// SPDX-License-Identifier: Apache-2.0
import BrokerSupervisor
import CryptoExtras
import DeviceKeyStore
import DeviceSettings
import Files
import Foundation
import OAuth
import Redaction
import TPM
import TestSupport
import Testing

/// A device that keeps its keys in a TPM. Its state is useless without that TPM and cannot be rolled back.
@Suite struct DeviceStateTests {
    @Test func `no key of a device with a TPM is in a file, and each key works`() async throws {
        try await Device.with { device in
            #expect(try device.check() == nil)
            let keys = try DeviceKeys.make(in: device.keys)
            let receipt = try ReceiptKey.make(in: device.keys)
            #expect(
                try device.keys.directory.names() == [
                    "device.tpm", "epoch.count", "receipt.tpm", "sealing.tpm", "transport.tpm",
                ])
            for name in try device.keys.directory.names() {
                let content = try #require(try device.keys.directory.file(name).read())
                #expect(!String(decoding: content, as: UTF8.self).contains("PRIVATE KEY"))
            }
            let input = Array("a request".utf8)
            try keys.usingHere { held in
                for key in [held.identity, receipt.signing] {
                    let signature = try key.signature(for: input)
                    #expect(key.verification.isValid(signature, for: input))
                }
                #expect(held.identity.algorithm == .rs256 && receipt.signing.algorithm == .es256)
            }
            let sender = try JSONWebKey(keys.transportPublicKey()).encryptionKey()
            let encrypted = try sender.encrypt(Data([1, 2, 3]), padding: .PKCS1_OAEP)
            #expect(try keys.usingHere { try $0.decrypt(Array(encrypted)) } == SecretBytes(copying: [1, 2, 3]))
            #expect(throws: JOSEFailure.wrongSignature) {
                try keys.usingHere { try $0.decrypt([UInt8](repeating: 3, count: 256)) }
            }
            #expect(try device.check() == nil)
        }
    }

    @Test func `a device whose TPM is missing or not configured does not fall back to files`() async throws {
        try await Device.with { device in
            #expect(try device.check() == nil)
            try await device.chip.stop()
            #expect(try device.check()?.code == "tpm_unavailable")
            #expect(try device.check(with: nil)?.code == "tpm_unavailable")
            let unnamed = KeyStore(directory: device.keys.directory, platform: nil)
            #expect(throws: TrustedPlatformFailure.self) { try DeviceKeys.make(in: unnamed) }
            #expect(throws: TrustedPlatformFailure.self) { try ReceiptKey.make(in: unnamed) }
            #expect(throws: TrustedPlatformFailure.self) { try DeviceSeal(in: unnamed) }
            try await device.chip.start()
            #expect(try device.check() == nil)
        }
    }

    @Test func `the state is refused with another TPM`() async throws {
        try await Device.with { device in
            #expect(try device.check() == nil)
            let other = try await SoftwareTPM.start("other", in: device.scratch)
            #expect(try device.check(with: TrustedPlatformModule(other.configuration)) == .otherMachine)
            #expect(try device.check() == nil)
        }
    }

    @Test func `an older copy of the state is refused, the current one is not`() async throws {
        try await Device.with { device in
            #expect(try device.check() == nil)
            try device.copy(to: "older")
            try device.count().advance()
            #expect(try device.check() == nil)
            try device.copy(to: "present")
            try device.restore("older")
            #expect(try device.check() == .olderCopy)
            try device.restore("present")
            #expect(try device.check() == nil)
            for _ in 0..<3 { try device.count().advance() }
            #expect(try device.check() == nil)
            try device.restore("present")
            #expect(try device.check() == .olderCopy)
        }
    }

    @Test func `a power cut between the file and the chip loses nothing`() async throws {
        try await Device.with { device in
            #expect(try device.check() == nil)
            try device.copy(to: "older")
            for _ in 0..<3 {
                let cut = PowerCut(chip: device.module)
                #expect(throws: TrustedPlatformFailure.unresponsive) { try device.count(cut).advance() }
                #expect(try device.check() == nil)
            }
            try device.count().advance()
            #expect(try device.check() == nil)
            try device.restore("older")
            #expect(try device.check() == .olderCopy)
        }
    }

    @Test func `removing a file of the state, or the counter of the TPM, is detected`() async throws {
        try await Device.with { device in
            #expect(try device.check() == nil)
            _ = try DeviceKeys.make(in: device.keys)
            try device.copy(to: "whole")
            for name in ["sealing.tpm", "epoch.count"] {
                try device.keys.directory.file(name).remove()
                #expect(try device.check() == .damaged(file: "keys/" + name))
                try device.restore("whole")
            }
            try device.keys.directory.file("epoch.count").replace(with: Array("7".utf8))
            #expect(try device.check() == .damaged(file: "keys/epoch.count"))
            try device.restore("whole")
            _ = try await device.chip.tool("tpm2_nvundefine", "-C", "o", "0x1a5b470")
            #expect(try device.check() == .olderCopy)
        }
    }

    @Test func `when a device gets a TPM its sealing key moves into it, and still opens its files`() async throws {
        try await Device.with { device in
            #expect(try device.check(with: nil) == nil)
            #expect(try device.keys.directory.names() == ["sealing.key"])
            let unnamed = KeyStore(directory: device.keys.directory, platform: nil)
            try SealedFile("kept", in: device.state, seal: DeviceSeal(in: unnamed)).replace(with: [1, 2, 3])
            #expect(try device.check() == nil)
            #expect(try device.keys.directory.names() == ["epoch.count", "sealing.tpm"])
            #expect(try SealedFile("kept", in: device.state, seal: DeviceSeal(in: device.keys)).read() == [1, 2, 3])
            #expect(try device.check(with: nil)?.code == "tpm_unavailable")
        }
    }
}

/// A TPM that loses power before its counter advances.
private struct PowerCut: TrustedPlatform {
    let chip: TrustedPlatformModule

    func seal(_ secret: SecretBytes, authorization: SecretBytes?) throws(TrustedPlatformFailure) -> [UInt8] {
        try chip.seal(secret, authorization: authorization)
    }
    func unseal(_ blob: [UInt8], authorization: SecretBytes?) throws(TrustedPlatformFailure) -> SecretBytes {
        try chip.unseal(blob, authorization: authorization)
    }
    func makeKey(_ kind: TPMKey.Kind) throws(TrustedPlatformFailure) -> TPMKey { try chip.makeKey(kind) }
    func sign(_ digest: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> [UInt8] {
        try chip.sign(digest, with: key)
    }
    func decrypt(_ encrypted: [UInt8], with key: TPMKey) throws(TrustedPlatformFailure) -> SecretBytes {
        try chip.decrypt(encrypted, with: key)
    }
    func counter() throws(TrustedPlatformFailure) -> UInt64? { try chip.counter() }
    func advanceCounter() throws(TrustedPlatformFailure) -> UInt64 { throw .unresponsive }
}

private struct Device {
    let scratch: Scratch
    let chip: SoftwareTPM
    let module: TrustedPlatformModule
    let state: Directory
    var keys: KeyStore { DeviceFiles(root: state, platform: module).keyStore }

    static func with(_ body: (Device) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let chip = try await SoftwareTPM.start(in: scratch)
            try await body(
                Device(
                    scratch: scratch, chip: chip, module: TrustedPlatformModule(chip.configuration),
                    state: Directory(path: scratch.path("state"))))
        }
    }

    func check() throws -> QuarantineReason? { try check(with: module) }

    func check(with platform: (any TrustedPlatform)?) throws -> QuarantineReason? {
        try DeviceCheck(state: state, machine: scratch.path("no-machine"), platform: platform).reasonToQuarantine()
    }

    func count(_ platform: (any TrustedPlatform)? = nil) throws -> EpochCount {
        EpochCount(in: keys, platform: platform ?? module, seal: try DeviceSeal(in: keys))
    }

    func copy(to name: String) throws {
        try FileManager.default.copyItem(atPath: state.path, toPath: scratch.path(name))
    }

    func restore(_ name: String) throws {
        try FileManager.default.removeItem(atPath: state.path)
        try FileManager.default.copyItem(atPath: scratch.path(name), toPath: state.path)
    }
}
