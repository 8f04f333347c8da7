// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Processes
import TestSupport
import Testing

extension LiveDevice {
    /// Metrics, request ids and logs of a real server and a real device.
    @Suite struct MonitoringTests {
        /// The published text of a server's metrics.
        static func scrape(_ port: UInt16, in scratch: Scratch) async throws -> String {
            let script =
                "import urllib.request, sys; print(urllib.request.urlopen(sys.argv[1]).read().decode(), end='')"
            let run = try await RunningProgram.start(
                "/usr/bin/python3", ["-c", script, "http://127.0.0.1:\(port)/metrics"], log: "scrape-\(UUID())",
                awaitsReady: false, in: scratch)
            guard try await run.waitForExit() == 0 else { throw TestProblem("no metrics:\n\(try run.log())") }
            return try run.log()
        }

        private func deviceMetrics(_ live: LiveEnvironment, _ more: [String] = []) async throws -> String {
            try await Scratch.with { scratch in
                let run = try await CommandRun(
                    ["device", "metrics", "--runtime-directory", live.path("run")] + more, in: scratch)
                #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
                return run.output
            }
        }

        /// One query of the dashboard or of the alert rules, and what Prometheus returned.
        private struct Result: Decodable {
            let from: String
            let name: String
            let query: String
            let series: Int
            let error: String?
            let health: String?
        }

        @Test func `every query of the dashboard and of the alert rules returns a series`() async throws {
            let live = try await LiveEnvironment.ready()
            let port = try #require(FreePort.tcp(in: FreePort.ofTests))
            try await live.configured({ server, _ in server["metrics"] = ["port": Int(port)] }) {
                try await live.awaitAgent()
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                _ = try await app.token(of: amara, refreshed: true)
                try await app.signOut(amara)
                try await Scratch.with { scratch in
                    let textfiles = scratch.path("textfiles")
                    try FileManager.default.createDirectory(atPath: textfiles, withIntermediateDirectories: false)
                    let device = try await deviceMetrics(live)
                    try Data(device.utf8).write(to: URL(filePath: textfiles + "/baton.prom"))
                    let server = try await Self.scrape(port, in: scratch)
                    try check(server: server, device: device, live)
                    let onPostgreSQL = try await Self.serverOnPostgreSQL(in: scratch)
                    try await checkQueries(servers: [port, onPostgreSQL], textfiles: textfiles, in: scratch)
                }
            }
        }

        /// Starts a server whose database is PostgreSQL, and returns the port of its metrics.
        private static func serverOnPostgreSQL(in scratch: Scratch) async throws -> UInt16 {
            let port = try #require(FreePort.tcp(in: FreePort.ofTests))
            let keys = try await ServerDatabase().keys(besides: ["metrics": ["port": Int(port)]])
            try await ServerProcess(keys, in: scratch).start()
            return port
        }

        /// Has Prometheus evaluate the committed files.
        private func checkQueries(servers: [UInt16], textfiles: String, in scratch: Scratch) async throws {
            let folder = Repository.root + "/docs/operations/"
            let ports = try (1...2).map { _ in "\(try #require(FreePort.tcp(in: FreePort.ofTests)))" }
            let run = try await RunningProgram.start(
                "/usr/bin/python3",
                [
                    "-u", Repository.root + "/Tests/Clients/prometheus.py", textfiles,
                    folder + "grafana-dashboard.json", folder + "alerts.yaml", scratch.path,
                ] + ports + servers.map { "127.0.0.1:\($0)" }, log: "prometheus", awaitsReady: false, in: scratch)
            let code = try await run.waitForExit()
            let log = try run.log()
            try #require(code == 0, "\(log)")
            let results = try log.split(separator: "\n").filter { $0.hasPrefix("RESULT ") }.map {
                try JSONDecoder().decode(Result.self, from: Data($0.dropFirst(7).utf8))
            }
            #expect(results.filter { $0.from == "dashboard" }.count > 40)
            #expect(results.filter { $0.from == "rules" }.count > 15)
            for result in results {
                #expect(result.error == nil && result.health ?? "ok" == "ok", "\(result)")
                #expect(result.series > 0, "\(result)")
            }
        }

        /// Checks what was counted, and that no value identifies a person, an app, an organisation or the device.
        private func check(server: String, device: String, _ live: LiveEnvironment) throws {
            #expect(server.contains("\nbaton_metrics_refused_total 0\n"))
            #expect(server.contains("\nbaton_metrics_faults_total 0\n"))
            #expect(server.contains("\nbaton_sign_ins_total{method=\"page\",outcome=\"done\"} 1\n"))
            let route = "listener=\"main\",method=\"POST\",route=\"/{tenant}/oauth2/v2.0/token\",status=\"200\""
            #expect(server.contains("\nbaton_http_requests_total{\(route)} "))
            for grant in ["authorization_code", "prt_issue", "prt_use"] {
                #expect(!server.contains("\nbaton_grants_total{grant=\"\(grant)\",outcome=\"done\"} 0\n"), "\(grant)")
            }
            #expect(device.contains("\nbaton_device_sign_ins_total{outcome=\"succeeded\"} 1\n"))
            #expect(device.contains("\nbaton_device_session_ends_total{trigger=\"app\"} 1\n"))
            #expect(device.contains("\nbaton_device_handover_duration_seconds_count 1\n"))
            #expect(device.contains("\nbaton_device_session{state=\"ready\"} 1\n"))
            #expect(device.contains("\nbaton_device_mode{mode=\"shared\"} 1\n"))
            for operation in ["login", "refresh", "signout_account_operation"] {
                let line = device.split(separator: "\n").first { $0.contains("operation=\"\(operation)\"}") }
                #expect(line.map { !$0.hasSuffix(" 0") } == true, "\(operation): \(line ?? "missing")")
            }
            let ids =
                live.facts.people.flatMap { [$0.userName, $0.givenName] }
                + live.facts.apps.flatMap { [$0.clientID, $0.bundleID] }
                + [EnvironmentFacts.domain, live.facts.tenantID]
            for id in ids {
                #expect(!server.localizedCaseInsensitiveContains(id), "\(id)")
                #expect(!device.localizedCaseInsensitiveContains(id), "\(id)")
            }
        }

        @Test func `the table of a device's metrics is for people`() async throws {
            let live = try await LiveEnvironment.ready()
            let table = try await deviceMetrics(live, ["--table"])
            #expect(table.hasPrefix("METRIC ") && table.contains("baton_device_mode"))
            #expect(!table.contains("#") && !table.contains("_bucket"))
            let json = try await deviceMetrics(live, ["--json"])
            let value = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            #expect(value?["mode"] as? String == "shared")
        }

        @Test func `one id finds a request in the app, in the broker's log and in the server's log`() async throws {
            let live = try await LiveEnvironment.ready()
            let (serverStart, brokerStart) = (
                try live.log(of: .server).utf8.count, try live.log(of: .broker).utf8.count
            )
            let json: (inout [String: Any]) -> Void = {
                $0["logFormat"] = "json"
                $0["logLevel"] = "debug"
            }
            try await live.configured({ server, broker in
                json(&server)
                json(&broker)
            }) {
                try await live.awaitAgent()
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                let id = UUID()
                let result = try await app.token(of: amara, refreshed: true) { $0.correlationId = id }
                #expect(result.correlationId == id)
                let raw = try RawApp(live)
                try await raw.greet()
                var parameters = FlatMap([
                    .clientID: try #require(live.facts.apps.first).clientID, .protocolVersion: Wire.messageProtocol,
                ])
                parameters[.correlationID] = "amara@\(EnvironmentFacts.domain)"
                _ = try await raw.ask(.getAccounts, parameters)
                try await app.signOut(amara)

                let server = try lines(try live.log(of: .server), from: serverStart)
                let broker = try lines(try live.log(of: .broker), from: brokerStart)
                let text = id.uuidString.lowercased()
                #expect(server.contains { $0["request"] as? String == text && $0["message"] as? String == "answered" })
                #expect(
                    broker.contains { line in
                        let values = line["values"] as? [String: String]
                        return line["request"] as? String == text && values?["request.operation"] == "refresh"
                    })
                // The malformed id was replaced.
                let replaced = broker.first {
                    ($0["values"] as? [String: String])?["request.operation"] == "get_accounts_operation"
                }
                #expect(UUID(uuidString: replaced?["request"] as? String ?? "") != nil, "\(replaced ?? [:])")
                try await checkBundle(of: live, log: try live.log(of: .broker), from: brokerStart)
                for line in server + broker {
                    #expect(!"\(line)".contains("amara@"), "\(line)")
                }
            }
        }

        /// Checks that a support bundle contains the lines of a log in JSON.
        private func checkBundle(of live: LiveEnvironment, log: String, from start: Int) async throws {
            try await Scratch.with { scratch in
                let (bundle, file) = (scratch.path("bundle.tar"), scratch.path("json.log"))
                try Data(log.utf8.dropFirst(start)).write(to: URL(filePath: file))
                let made = try await live.doctor(
                    "--bundle", bundle, "--config", live.configurationPath(of: .broker), "--log", file)
                #expect(made.code == 0, "\(made.output)")
                try await live.run("/usr/bin/tar", "-x", "-f", bundle, "-C", scratch.path)
                let text = try textOfFile(scratch.path("log.json"))
                #expect(text.contains("session state changed") && text.contains("\"session.state\" : \"signedIn\""))
            }
        }

        /// Parses the lines of a log in JSON that came after the first `start` bytes.
        private func lines(_ log: String, from start: Int) throws -> [[String: Any]] {
            let lines = String(decoding: log.utf8.dropFirst(start), as: UTF8.self).split(separator: "\n")
                .filter { $0.hasPrefix("{") }
            return try lines.map { line in
                let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
                let object = try #require(value as? [String: Any])
                for key in ["time", "level", "message"] { #expect(object[key] is String, "\(line)") }
                #expect(
                    Set(object.keys).isSubset(of: ["time", "level", "code", "message", "request", "values"]),
                    "\(line)")
                return object
            }
        }
    }
}
