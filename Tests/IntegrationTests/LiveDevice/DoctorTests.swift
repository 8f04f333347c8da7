// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// `baton doctor` on a healthy device, and on devices that were broken on purpose.
    @Suite struct DoctorTests {
        /// The doctor's JSON output.
        private struct Report: Decodable {
            let healthy: Bool
            let brokerAnswers: Bool
            let status: DeviceStatus?
            let movers: [String]
            let findings: [CheckResult]
            let refusals: [RefusalRecord]

            /// The codes of the failed checks.
            var bad: Set<String> { Set(findings.filter { $0.verdict == .bad }.map(\.code)) }
            func has(_ code: String) -> Bool { findings.contains { $0.code == code } }
        }

        private func examine(_ live: LiveEnvironment) async throws -> (report: Report, code: Int32, text: String) {
            try await Scratch.with { scratch in
                let arguments = [
                    "doctor", "--json", "--runtime-directory", live.path("run"), "--state", live.path("device"),
                    "--marker", live.path("public/managed"),
                ]
                let run = try await CommandRun(arguments, in: scratch)
                #expect(run.errors.isEmpty)
                let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
                let people = try await CommandRun(arguments.filter { $0 != "--json" } + ["--all"], in: scratch)
                #expect(people.code == run.code)
                return (report, run.code, run.output + people.output)
            }
        }

        @Test func `a healthy device is reported so, with the events that would change its state`() async throws {
            let live = try await LiveEnvironment.ready()
            let (report, code, text) = try await examine(live)
            #expect(report.bad.isEmpty && report.healthy && code == 0, "\(report.bad)")
            for found in [
                "shared", "joined", "profile_there", "app_configuration_there", "broker_package_there", "ready",
                "agent_connected", "server_reached", "clock_agrees", "files_private", "device_certificate",
                "mdm_certificate", "core_forbidden", "apps_session-bound", "offline_none",
            ] { #expect(report.has(found), "\(found) is missing") }
            #expect(!report.movers.isEmpty && report.status?.session == "ready")
            #expect(text.contains("Nothing is wrong"))
            // The doctor reports how long the server accepts the identity, not how long its certificate is valid.
            #expect(text.contains(/for its management server is valid for 39\d days/), "\(text)")
        }

        @Test func `the doctor names every fault of a device`() async throws {
            let live = try await LiveEnvironment.ready()
            let key = live.path("device/keys/device.pem")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
            try await live.kill(.agent)
            try await live.kill(.server)
            let broken = try await examine(live)
            #expect(broken.report.bad == ["file_mode", "agent_missing", "server_unreachable"])
            #expect(broken.code == 1 && !broken.report.healthy)
            #expect(broken.report.findings.filter { $0.verdict == .bad }.allSatisfy { $0.remedy != nil })
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            try await live.start(.server)
            try await live.start(.agent)
        }

        @Test func `an unusable registry is named, with a remedy`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.with(registry: #"{"apps":[]}"#, mode: 0o622) {
                let (report, code, _) = try await examine(live)
                #expect(report.bad.contains("registry_mode") && code == 1)
            }
        }

        @Test func `an app that registers an eraser while nobody is signed in is refused, but not listed`() async throws
        {
            let live = try await LiveEnvironment.ready()
            let raw = try RawApp(live)
            try await raw.greet()
            let client = ClientRequest(clientID: live.facts.apps[0].clientID)
            #expect(try await raw.refusal(.registerEraser, client.entries).code == .interactionRequired)
            let refused = try await examine(live).report.refusals.compactMap(\.operation)
            #expect(!refused.contains("baton.register_eraser"), "\(refused)")
        }

        @Test func `refusals and prompts are listed with their reasons, and without data of a worker`() async throws {
            let live = try await LiveEnvironment.ready()
            let amara = try await live.signIn("Amara", through: try live.app(1))
            let raw = try RawApp(live)
            try await raw.greet()
            let stranger = "deadbeef-0000-4000-8000-00000000c0de"
            for _ in 0..<3 {
                let refusal = try await raw.refusal(.getAccounts, ClientRequest(clientID: stranger).entries)
                #expect(refusal.code == .unauthorizedClient)
            }
            _ = try await raw.refusal(Operation(rawValue: "made-up"), ClientRequest(clientID: stranger).entries)
            let (report, code, text) = try await examine(live)
            #expect(code == 0 && report.has("signed_in"))
            let client = live.facts.apps[0].clientID
            #expect(
                report.refusals.contains {
                    $0.kind == .prompted && $0.reason == "nobody_signed_in" && $0.clientID == client
                        && $0.operation == "login"
                })
            let refused = try #require(report.refusals.first { $0.reason == "unknown_client" })
            #expect(refused.code == -51414 && refused.count == 3 && refused.level == "session-bound")
            #expect(refused.operation == "get_accounts_operation" && refused.clientID == nil)
            #expect(report.refusals.contains { $0.code == -51114 && $0.operation == nil })
            let person = try live.person("Amara")
            let identifier = try #require(amara.identifier)
            for secret in [person.userName, person.password, identifier, stranger, "made-up"] {
                #expect(!text.contains(secret))
            }
            // The refusals are still reported after the session in which they were made.
            try await live.settle()
            #expect(try await examine(live).report.refusals.contains(refused))
        }

        @Test func `a support bundle has the needed facts and no personal data, and overwrites no file`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let tokens = try await live.harvest()
            // Paths may contain a person's name, so the bundle must not contain them (`folder` below).
            let bundle = live.path("bundle.tar")
            func collect() async throws -> (code: Int32, text: String) {
                let found = try await live.doctor(
                    "--bundle", bundle, "--config", live.configurationPath(of: .broker), "--log",
                    live.logPath(of: .broker))
                return (found.code, found.output)
            }
            #expect(try await collect().code == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: bundle)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let first = try Data(contentsOf: URL(filePath: bundle))
            let again = try await collect()
            #expect(again.code == 1 && again.text.contains("bundle_exists"))
            #expect(try Data(contentsOf: URL(filePath: bundle)) == first)
            let target = live.path("elsewhere")
            try FileManager.default.removeItem(atPath: bundle)
            try FileManager.default.createSymbolicLink(atPath: bundle, withDestinationPath: target)
            #expect(try await collect().code == 1)
            #expect(!FileManager.default.fileExists(atPath: target))
            try FileManager.default.removeItem(atPath: bundle)

            // A refusal, a sign-out, and the next worker.
            try await live.settle()
            let bo = try await live.signIn("Bo", through: try live.app(2))
            #expect(try await collect().code == 0)
            let folder = live.path("bundle")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
            try await live.run("/usr/bin/tar", "-x", "-f", bundle, "-C", folder)
            let names = try live.names(in: "bundle")
            #expect(
                names == [
                    "configuration.json", "findings.json", "log.json", "manifest.json", "refusals.json", "status.json",
                    "versions.json",
                ])
            let log = try textOfFile(folder + "/log.json")
            #expect(log.contains("session state changed") && log.contains("\"session.state\" : \"signedIn\""))
            #expect(try textOfFile(folder + "/findings.json").contains("registration_good"))

            var canaries = try live.canaries(of: "Amara").merging(tokens) { mine, _ in mine }
            for (name, text) in try live.canaries(of: "Bo") { canaries["Bo's " + name] = text }
            for (name, text) in try await live.harvest() { canaries["Bo's " + name] = text }
            let accounts = [try #require(amara.identifier), try #require(bo.identifier)]
            for (number, account) in accounts.enumerated() {
                canaries["account \(number)"] = account
                canaries["object \(number)"] = String(account.prefix { $0 != "." })
            }
            canaries["folder"] = live.path("")
            let surfaces = ["archive": bundle, "members": folder]
            try await live.finds(none: canaries, in: surfaces)
            // As a control, the search finds a text in a member and in the archive.
            for place in [folder + "/log.json", bundle] {
                let file = try FileHandle(forWritingTo: URL(filePath: place))
                try file.seekToEnd()
                try file.write(contentsOf: Data(try live.person("Amara").userName.utf8))
                try file.close()
                await #expect(throws: TestProblem.self) { try await live.finds(none: canaries, in: surfaces) }
            }
            try FileManager.default.removeItem(atPath: bundle)
            try await live.settle()
        }

        @Test func `a broker that does not answer is reported, and the other checks are still made`() async throws {
            let live = try await LiveEnvironment.ready()
            _ = try await live.signIn("Amara", through: try live.app(1))
            try await live.kill(.broker)
            let (report, code, text) = try await examine(live)
            #expect(code == 69 && !report.brokerAnswers && !report.healthy && report.status == nil)
            #expect(report.bad == ["broker_unreachable"])
            for found in ["journal_signedIn", "marker_there", "files_private"] { #expect(report.has(found)) }
            #expect(text.contains("the broker does not answer"))
            let journal = live.path("device/journal")
            let former = try Data(contentsOf: URL(filePath: journal))
            try Data("{".utf8).write(to: URL(filePath: journal))
            #expect(try await examine(live).report.bad == ["broker_unreachable", "journal_damaged"])
            try former.write(to: URL(filePath: journal))
        }
    }
}
