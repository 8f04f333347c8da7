// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import TestSupport
import Testing

extension LiveFaults {
    /// A real device whose keys are in a TPM.
    @Suite struct DeviceChipTests {
        @Test func `a device with a TPM hands over, and its state is useless elsewhere or later`() async throws {
            try await LiveEnvironment.withTPM { live, chip in
                let names = try live.names(in: "device/keys")
                #expect(names == ["device.tpm", "epoch.count", "receipt.tpm", "sealing.tpm", "transport.tpm"])
                #expect(try await live.status().keys == "tpm")
                try await live.handover()
                try await live.receiptsVerify()

                try await live.kill(.broker)
                try live.copyDevice(to: "older")
                try await live.start(.broker)
                try await live.awaitAgent()
                try await live.handover()
                try await live.kill(.broker)
                try live.copyDevice(to: "present")

                try live.restoreDevice("older")
                try await live.start(.broker)
                #expect(try await live.status().reason == "state_of_another_time")
                try await live.kill(.broker)

                try live.restoreDevice("present")
                let other = try await live.softwareTPM("other")
                try live.configure(tpm: other)
                try await live.start(.broker)
                #expect(try await live.status().reason == "state_of_another_machine")
                try await live.kill(.broker)

                try live.configure(tpm: chip)
                try await live.start(.broker)
                #expect(try await live.status().session == "ready")
                try await live.receiptsVerify()

                // If only the older copy is left, the device can be recovered with it and the same TPM.
                try await live.kill(.broker)
                try live.restoreDevice("older")
                try await live.start(.broker)
                try await live.baton("device", "recover", "--runtime-directory", live.path("run"))
                try await live.comesBack()
                try await live.kill(.broker)
                try await live.start(.broker)
                let anew = try await live.status()
                #expect(anew.session == "ready" && anew.deviceID == nil && anew.keys == "tpm")
            }
        }

        @Test func `a missing TPM blocks the device until it is back, but does not prevent the clean-up`()
            async throws
        {
            try await LiveEnvironment.withTPM { live, chip in
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                _ = try await app.token(of: amara)
                try await chip.stop()
                // The request gets no answer: a broker that cannot sign exits.
                _ = try? await live.ask(.signOut(fromBrowser: false))
                try await live.awaitEnd(of: .broker)
                #expect(try live.isClean)
                try await live.start(.broker)
                let status = try await live.status()
                #expect(status.session == "quarantined" && status.reason == "tpm_unavailable")

                try await chip.start()
                try await live.comesBack()
                #expect(try await live.status().deviceID != nil)
                try await live.receiptsVerify()
                try await live.awaitAgent()
                try await live.handover()
            }
        }
    }
}

extension LiveEnvironment {
    /// Signs Amara in and out.
    fileprivate func handover() async throws {
        let app = try app(1)
        let amara = try await signIn("Amara", through: app)
        _ = try await app.token(of: amara)
        try await app.signOut(amara)
        try await settle()
    }

    /// Checks that the device's receipts are intact and certified by the tenant.
    fileprivate func receiptsVerify() async throws {
        let (file, trust) = (path("tpm-receipts.jsonl"), path("tpm-trust.json"))
        try await baton("receipt", "export", "--state", path("device"))
            .write(toFile: file, atomically: false, encoding: .utf8)
        try await baton("admin", "receipt", "trust", "--server", path("server"))
            .write(toFile: trust, atomically: false, encoding: .utf8)
        try await baton("receipt", "verify", "--file", file, "--trust", trust)
    }
}
