// SPDX-License-Identifier: Apache-2.0
import BrokerSupervisor
import DeviceKeyStore
import DeviceSettings
import Files
import Foundation
import Redaction
import TestSupport
import Testing

/// The files that the device seals for itself.
@Suite struct DeviceSealTests {
    @Test func `sealed data can be opened again, but only under its own name`() async throws {
        try await Device.with { device in
            try device.start()
            let seal = try DeviceSeal(in: device.keys)
            let file = SealedFile("verifiers", in: device.state, seal: seal)
            #expect(try file.read() == nil)
            try file.replace(with: Array("a verifier".utf8))
            #expect(try file.read() == Array("a verifier".utf8))
            let sealed = try Data(contentsOf: URL(filePath: device.state.path + "/verifiers"))
            #expect(sealed.range(of: Data("verifier".utf8)) == nil)

            try device.state.file("leases").replace(with: Array(sealed))
            #expect(throws: SealBroken.self) {
                try SealedFile("leases", in: device.state, seal: seal).read()
            }
            #expect(try file.remove())
            #expect(try file.read() == nil)
        }
    }

    @Test func `a changed byte, a shorter file and another device's file are refused`() async throws {
        try await Device.with { device in
            try device.start()
            let seal = try DeviceSeal(in: device.keys)
            let sealed = try seal.seal(Array("a verifier".utf8), as: "verifiers")
            for place in sealed.indices {
                var changed = sealed
                changed[place] ^= 1
                #expect(throws: SealBroken.self) { try seal.open(changed, as: "verifiers") }
            }
            for length in 0..<sealed.count {
                #expect(throws: SealBroken.self) { try seal.open(Array(sealed.prefix(length)), as: "verifiers") }
            }
            try await Device.with { other in
                try other.start()
                #expect(throws: SealBroken.self) { try DeviceSeal(in: other.keys).open(sealed, as: "verifiers") }
            }
        }
    }

    @Test func `a device that was set up with a TPM uses no keys in files when no TPM is configured`() async throws {
        try await Device.with { device in
            try device.start()
            for name in ["sealing.tpm", "device.tpm", "transport.tpm", "receipt.tpm"] {
                try device.keys.directory.file(name).replace(with: [0])
                #expect(throws: (any Error).self) { try DeviceSeal(in: device.keys) }
                try device.keys.directory.file(name).remove()
            }
            _ = try DeviceSeal(in: device.keys)
        }
    }

    @Test func `nothing is sealed before the device has its key`() async throws {
        try await Device.with { device in
            #expect(throws: DeviceStateDamaged.self) { try DeviceSeal(in: device.keys) }
        }
    }
}

private struct Device {
    let state: Directory
    var keys: KeyStore { DeviceFiles(root: state).keyStore }

    static func with(_ body: (Device) async throws -> Void) async throws {
        try await Scratch.with { scratch in try await body(Device(state: Directory(path: scratch.path("state")))) }
    }

    /// Checks the device's state, as the broker does first when it starts.
    func start() throws {
        #expect(try DeviceCheck(state: state, machine: state.path + "/no-machine").reasonToQuarantine() == nil)
    }
}
