// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import TestSupport
import Testing

extension LiveDevice {
    /// A real device whose keys are in a TPM.
    @Suite struct DeviceChipTests {
        @Test func `a device with a TPM hands over, and its state is of no use elsewhere or later`() async throws {
            try await World.withTPM { world, chip in
                let names = try world.names(in: "device/keys")
                #expect(names == ["device.tpm", "epoch.count", "receipt.tpm", "sealing.tpm", "transport.tpm"])
                #expect(try await world.status().keys == "tpm")
                try await world.handOver()
                try await world.receiptsVerify()

                try await world.kill(.broker)
                try world.copyDevice(to: "older")
                try await world.start(.broker)
                try await world.awaitAgent()
                try await world.handOver()
                try await world.kill(.broker)
                try world.copyDevice(to: "present")

                try world.restoreDevice("older")
                try await world.start(.broker)
                #expect(try await world.status().reason == "state_of_another_time")
                try await world.kill(.broker)

                try world.restoreDevice("present")
                let other = try await world.softwareTPM("other")
                try world.configure(tpm: other)
                try await world.start(.broker)
                #expect(try await world.status().reason == "state_of_another_machine")
                try await world.kill(.broker)

                try world.configure(tpm: chip)
                try await world.start(.broker)
                #expect(try await world.status().session == "ready")
                try await world.receiptsVerify()

                // Where the older copy is all there is, the device begins anew with it, counted by the same chip.
                try await world.kill(.broker)
                try world.restoreDevice("older")
                try await world.start(.broker)
                try await world.baton("device", "recover", "--runtime-directory", world.path("run"))
                try await world.comesBack()
                try await world.kill(.broker)
                try await world.start(.broker)
                let anew = try await world.status()
                #expect(anew.session == "ready" && anew.deviceID == nil && anew.keys == "tpm")
            }
        }

        @Test func `a TPM that is gone holds the device until it is back, and keeps nothing from being cleared`()
            async throws
        {
            try await World.withTPM { world, chip in
                let app = try world.app(1)
                let amara = try await world.signIn("Amara", through: app)
                _ = try await app.token(of: amara)
                try await chip.stop()
                // Who asked hears nothing: the broker ends where it cannot sign.
                _ = try? await world.ask(.signOut(fromBrowser: false))
                try await world.awaitEnd(of: .broker)
                #expect(try world.isClean)
                try await world.start(.broker)
                let status = try await world.status()
                #expect(status.session == "quarantined" && status.reason == "tpm_unavailable")

                try await chip.start()
                try await world.comesBack()
                #expect(try await world.status().deviceID != nil)
                try await world.receiptsVerify()
                try await world.awaitAgent()
                try await world.handOver()
            }
        }
    }
}

extension World {
    /// Lends the suite's world with a device that has joined anew, with its keys in a TPM.
    static func withTPM(_ body: (World, SoftwareTPM) async throws -> Void) async throws {
        let world = try await World.ready()
        try await world.kill(.broker)
        try world.copyDevice(to: "without-tpm")
        let configuration = try Data(contentsOf: world.configuration)
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
        try content.write(to: configuration)
        try restoreDevice("without-tpm")
        for name in ["older", "present", "without-tpm"] {
            try? FileManager.default.removeItem(atPath: path(name))
        }
    }

    private var configuration: URL { URL(filePath: path("configuration/batond.json")) }

    fileprivate func configure(tpm: SoftwareTPM) throws {
        var members = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: configuration)) as? [String: Any])
        members["tpm"] = ["tcti": tpm.configuration]
        try JSONSerialization.data(withJSONObject: members).write(to: configuration)
    }

    /// Leaves a device that is enrolled, and has joined nothing yet.
    private func forgetJoin() throws {
        for name in ["join.json", "receipts", "keys/device.pem", "keys/transport.pem", "keys/receipt.pem"] {
            let file = path("device/" + name)
            if FileManager.default.fileExists(atPath: file) { try FileManager.default.removeItem(atPath: file) }
        }
    }

    fileprivate func copyDevice(to name: String) throws {
        try FileManager.default.copyItem(atPath: path("device"), toPath: path(name))
    }

    fileprivate func restoreDevice(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path("device"))
        try FileManager.default.copyItem(atPath: path(name), toPath: path("device"))
    }

    /// Amara comes and goes.
    fileprivate func handOver() async throws {
        let app = try app(1)
        let amara = try await signIn("Amara", through: app)
        _ = try await app.token(of: amara)
        try await app.signOut(amara)
        try await settle()
    }

    /// The device's receipts are whole, and certified by the tenant.
    fileprivate func receiptsVerify() async throws {
        let (file, trust) = (path("tpm-receipts.jsonl"), path("tpm-trust.json"))
        try await baton("receipt", "export", "--state", path("device"))
            .write(toFile: file, atomically: false, encoding: .utf8)
        try await baton("admin", "receipt", "trust", "--server", path("server"))
            .write(toFile: trust, atomically: false, encoding: .utf8)
        try await baton("receipt", "verify", "--file", file, "--trust", trust)
    }

    /// Waits until the broker, which looks again by itself, serves.
    fileprivate func comesBack() async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while true {
            if let status = try? await status(), status.session == "ready" { return }
            guard ContinuousClock.now < deadline else { throw TestProblem("the device does not come back") }
        }
    }
}
