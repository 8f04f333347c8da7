// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// A device whose keys are in a TPM.
extension World {
    /// Lends the suite's world with a device that has joined anew, with its keys in a TPM.
    static func withTPM(_ body: (World, SoftwareTPM) async throws -> Void) async throws {
        let world = try await World.ready()
        try await world.kill(.broker)
        try world.copyDevice(to: "without-tpm")
        let configuration = try Data(contentsOf: world.brokerConfiguration)
        let chip = try await world.softwareTPM("chip-\(UInt32.random(in: 0...UInt32.max))")
        do {
            try world.forgetJoin()
            try world.configure(tpm: chip)
            try await world.start(.broker)
            try await world.awaitAgent()
            try world.seat("Carol")
            try await world.join()
            try await body(world, chip)
        } catch {
            try await world.putBack(configuration)
            try await chip.stop()
            throw error
        }
        try await world.putBack(configuration)
        try await chip.stop()
    }

    private func putBack(_ content: Data) async throws {
        try? await kill(.broker)
        try content.write(to: brokerConfiguration)
        try restoreDevice("without-tpm")
        for name in ["older", "present", "without-tpm"] {
            try? FileManager.default.removeItem(atPath: path(name))
        }
    }

    private var brokerConfiguration: URL { URL(filePath: configurationPath(of: .broker)) }

    func configure(tpm: SoftwareTPM) throws {
        var members = try configuration(of: .broker)
        members["tpm"] = ["tcti": tpm.configuration]
        try JSONSerialization.data(withJSONObject: members).write(to: brokerConfiguration)
    }

    /// Leaves a device that is enrolled, and has joined nothing yet.
    private func forgetJoin() throws {
        for name in ["join.json", "receipts", "keys/device.pem", "keys/transport.pem", "keys/receipt.pem"] {
            let file = path("device/" + name)
            if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
        }
    }

    func copyDevice(to name: String) throws {
        try FileManager.default.copyItem(atPath: path("device"), toPath: path(name))
    }

    func restoreDevice(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path("device"))
        try FileManager.default.copyItem(atPath: path(name), toPath: path("device"))
    }
}
