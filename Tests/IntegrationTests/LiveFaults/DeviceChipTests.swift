// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import TestSupport
import Testing

extension LiveFaults {
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
}
