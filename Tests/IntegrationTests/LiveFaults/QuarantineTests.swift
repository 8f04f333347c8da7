// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import DeviceSettings
import Foundation
import MDMProtocol
import Processes
import TestSupport
import Testing
import UnixSocket

extension LiveFaults {
    /// A device with damaged state serves nobody, says why, and can be recovered.
    @Suite struct QuarantineTests {
        /// The damage to the state, and the code that the device reports for it.
        enum Damage: String, CaseIterable {
            case journal, missingJournal, join, confirmedJoin, tombstones, locks, deviceKey, otherDeviceKey, management,
                otherMachine, earlierForm

            var code: String {
                switch self {
                case .otherDeviceKey: "state_of_another_device"
                case .otherMachine: "state_of_another_machine"
                case .earlierForm: "device_state_older"
                default: "device_state_damaged"
                }
            }

            func befall(_ device: String) throws {
                let file =
                    switch self {
                    case .journal, .missingJournal: "/journal"
                    case .join: "/join.json"
                    case .confirmedJoin: "/join-confirmed.json"
                    case .tombstones: "/tombstones.json"
                    case .locks: "/app-locks.json"
                    case .deviceKey, .otherDeviceKey: "/keys/device.pem"
                    case .management: "/management/state.json"
                    case .otherMachine: "/machine-binding"
                    case .earlierForm: "/format"
                    }
                let url = URL(filePath: device + file)
                switch self {
                case .missingJournal: try FileManager.default.removeItem(at: url)
                case .otherDeviceKey:
                    // Both are RSA keys of the device, so even the wrong key can be read.
                    try FileManager.default.removeItem(at: url)
                    try FileManager.default.copyItem(at: URL(filePath: device + "/keys/transport.pem"), to: url)
                case .otherMachine: try Data(repeating: 7, count: 32).write(to: url)
                case .earlierForm: try Self.write("1\n", to: url)
                default: try Self.write("{", to: url)
                }
            }

            fileprivate static func write(_ text: String, to url: URL) throws {
                try Data(text.utf8).write(to: url)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
            }
        }

        /// Ends the broker, runs `body`, and restores the device's folder. `body` must leave no broker running.
        private func restoring(_ live: LiveEnvironment, _ body: (String) async throws -> Void) async throws {
            try await live.kill(.broker)
            let (device, backup) = (live.path("device"), live.path("backup"))
            try FileManager.default.copyItem(atPath: device, toPath: backup)
            defer {
                #expect(throws: Never.self) {
                    try FileManager.default.removeItem(atPath: device)
                    try FileManager.default.moveItem(atPath: backup, toPath: device)
                }
            }
            try await body(device)
        }

        @Test func `while it is unknown which apps to lock, nothing is recovered and no reset is ordered`() async throws
        {
            let live = try await LiveEnvironment.ready()
            try await restoring(live) { device in
                try Damage.locks.befall(device)
                let reasons = URL(filePath: device + "/" + DeviceFiles.Name.lockReasons)
                try Damage.write(#"{"org.example.gone":"process_left"}"#, to: reasons)
                try await live.start(.broker)
                try await live.with(registry: "{") {
                    let before = try live.names(in: "device")
                    for request in [OperatorRequest.reset, .recover] {
                        guard case .failed(let refusal) = try await live.ask(request) else {
                            throw TestProblem("\(request) was not refused")
                        }
                        #expect(refusal.code == "recovery_failed" && refusal.message.contains("apps.json"))
                    }
                    #expect(try live.names(in: "device") == before)
                    let registry = URL(filePath: live.path("configuration/apps.json"))
                    try Damage.write(#"{"apps":[{"id":"org.example.registered"}]}"#, to: registry)
                    guard case .done = try await live.ask(.recover) else { throw TestProblem("not recovered") }
                    try await live.comesBack()
                    let after = try await live.status()
                    #expect(after.session == "ready")
                    #expect(Set(after.lockedApps).isSuperset(of: ["org.example.registered", "org.example.gone"]))
                }
            }
        }

        @Test(arguments: Damage.allCases)
        func `a damaged device serves nobody, says why, and is unjoined after its recovery`(damage: Damage) async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1, patience: .seconds(1))
            try await restoring(live) { device in
                try damage.befall(device)
                try await live.start(.broker)
                let status = try await live.status()
                #expect(status.session == "quarantined" && status.reason == damage.code)
                let state = try await live.deviceState { _ in true }
                #expect(state == DeviceState(stage: .quarantined, reason: damage.code))
                #expect(status.remedy?.contains("baton device recover") == true)
                let said = try await live.baton("device", "status", "--runtime-directory", live.path("run"))
                let lines = said.split(separator: "\n").map(String.init)
                // Facts that come from the damaged state are reported as neither yes nor no.
                for name in ["enrolled", "joined  ", "agent   ", "apps    "] {
                    #expect(lines.contains("\(name)  not known"))
                }
                #expect(lines.contains("session   quarantined") && lines.contains { $0.contains("(\(damage.code))") })
                #expect(lines.last?.hasPrefix("next      ") == true && said.contains("baton device recover"))
                await #expect(throws: (any Error).self) { try await app.accounts() }
                guard case .failed(let refusal) = try await live.ask(.signOut(fromBrowser: false)) else {
                    throw TestProblem("a quarantined device signs out")
                }
                #expect(refusal.code == "quarantined")

                try await live.baton("device", "recover", "--runtime-directory", live.path("run"))
                try await live.comesBack()
                let after = try await live.status()
                #expect(after.session == "ready" && after.deviceID == nil && after.mode != "shared")
                if damage == .locks {
                    // It is unknown which apps still have a worker's data.
                    #expect(Set(after.lockedApps).isSuperset(of: live.facts.apps.map(\.bundleID)))
                    #expect(!after.lockedApps.contains(AppConfiguration.broker))
                } else {
                    #expect(after.lockedApps == [])
                }
                #expect(try live.names(in: "device/quarantine").count == 1)
                #expect(try live.names(in: "device/session").isEmpty)
                try await live.kill(.broker)
            }
        }

        @Test(arguments: [
            "app-lock-reasons.json", "app-processes.json", "session-timer.json", "registration-status.json",
        ])
        func `damage to a file on which no decision depends quarantines nothing`(name: String) async throws {
            let live = try await LiveEnvironment.ready()
            let file = URL(filePath: live.path("device/" + name))
            let good = FileManager.default.contents(atPath: file.path)
            try await live.kill(.broker)
            defer {
                #expect(throws: Never.self) {
                    if let good { try good.write(to: file) } else { try? FileManager.default.removeItem(at: file) }
                }
            }
            try Damage.write("{", to: file)
            try await live.start(.broker)
            #expect(try await live.status().session == "ready")
            try await live.kill(.broker)
        }

        @Test func `a device without damage has nothing to recover`() async throws {
            let live = try await LiveEnvironment.ready()
            guard case .failed(let refusal) = try await live.ask(.recover) else { throw TestProblem("recovered") }
            #expect(refusal.code == "not_quarantined")
        }
    }
}
