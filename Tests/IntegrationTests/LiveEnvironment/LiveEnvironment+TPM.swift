// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

/// A device whose keys are in a TPM.
extension LiveEnvironment {
    /// Runs `body` with the suite's environment after its device has joined again, with its keys in a TPM. Restores
    /// the former device afterwards.
    static func withTPM(_ body: (LiveEnvironment, SoftwareTPM) async throws -> Void) async throws {
        let live = try await LiveEnvironment.ready()
        try await live.kill(.broker)
        try live.copyDevice(to: "without-tpm")
        let configuration = try Data(contentsOf: live.brokerConfiguration)
        let chip = try await live.softwareTPM("chip-\(UInt32.random(in: 0...UInt32.max))")
        do {
            try live.forgetJoin()
            try live.configure(tpm: chip)
            try await live.start(.broker)
            try await live.awaitAgent()
            try live.seat("Carol")
            try await live.join()
            try await body(live, chip)
        } catch {
            try await live.putBack(configuration)
            try await chip.stop()
            throw error
        }
        try await live.putBack(configuration)
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

    /// Removes the files of the join. The device stays enrolled.
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
