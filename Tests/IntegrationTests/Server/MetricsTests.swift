// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

@Suite struct MetricsTests {
    private func server(on database: ServerDatabase? = nil, in scratch: Scratch) async throws -> (ServerProcess, UInt16)
    {
        let port = try #require(FreePort.tcp(in: FreePort.ofTests))
        let keys: [String: any Sendable] = ["metrics": ["port": Int(port)]]
        let server = try ServerProcess(database?.keys(besides: keys) ?? keys, in: scratch)
        try await server.start()
        return (server, port)
    }

    /// The names and label values of all published series.
    private func labels(_ text: String) -> [(name: String, label: String, value: String)] {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }.flatMap { line in
            let name = String(line.prefix { $0 != "{" && $0 != " " })
            return line.matches(of: /([a-z_]+)="((?:[^"\\]|\\.)*)"/).map { (name, String($0.1), String($0.2)) }
        }
    }

    @Test func `requests are counted by route, and no path or name becomes a label`() async throws {
        try await Scratch.with { scratch in
            let (server, port) = try await server(in: scratch)
            let tenant = #"{"displayName":"Contoso","domain":"contoso.test"}"#
            #expect(try server.administer("POST", "/identity/tenants", tenant).status == 201)
            #expect(try server.administer("GET", "/identity/tenants/contoso.test/users").status == 200)
            let before = labels(try await LiveDevice.MonitoringTests.scrape(port, in: scratch)).count
            for number in 1...30 {
                #expect(try server.administer("GET", "/identity/tenants/nobody-\(number).test/users").status == 404)
                #expect(try server.administer("GET", "/contoso.test/\(number)").status == 404)
            }
            let text = try await LiveDevice.MonitoringTests.scrape(port, in: scratch)
            let users = "listener=\"administration\",method=\"GET\",route=\"/identity/tenants/{tenant}/users\""
            #expect(text.contains("baton_http_requests_total{\(users),status=\"200\"} 1\n"), "\(text)")
            #expect(text.contains("baton_http_requests_total{\(users),status=\"404\"} 30\n"))
            let other = "listener=\"administration\",method=\"other\",route=\"other\""
            #expect(text.contains("baton_http_requests_total{\(other),status=\"404\"} 30\n"))
            #expect(!text.localizedCaseInsensitiveContains("contoso") && !text.contains("nobody"))
            #expect(text.contains("\nbaton_metrics_refused_total 0\n"))
            // The new series are those of the status 404 and of the requests without a route.
            #expect(labels(text).count - before < 120)
        }
    }

    @Test func `every label has one of a few names, and its values are not free text`() async throws {
        try await Scratch.with { scratch in
            let (_, port) = try await server(on: ServerDatabase(), in: scratch)
            let text = try await LiveDevice.MonitoringTests.scrape(port, in: scratch)
            let allowed: Set = [
                "listener", "method", "route", "status", "le", "grant", "outcome", "limit", "database", "code", "state",
                "algorithm", "certificate", "version", "reason",
            ]
            for (name, label, value) in labels(text) {
                #expect(allowed.contains(label), "\(name) has the label \(label)")
                let isPlain = value.wholeMatch(of: /[A-Za-z0-9_.+-]{1,32}|\/[A-Za-z0-9_.{}()\/$*-]*/) != nil
                #expect(isPlain, "\(name): \(value)")
            }
            for name in [
                "baton_password_hash_queue", "baton_push_channels", "baton_mdm_oldest_command_age_seconds",
                "process_resident_memory_bytes",
            ] { #expect(text.contains("\n\(name) "), "\(name) is missing") }
            for name in ["connections", "connections_limit", "waiting"] {
                #expect(text.contains("\nbaton_database_\(name){database=\"identity\"} "), "\(name) is missing")
            }
            #expect(text.contains("\nbaton_database_retries_total{database=\"identity\",reason=\"conflict\"} "))
            for name in ["refused", "faults"] { #expect(text.contains("\nbaton_metrics_\(name)_total 0\n")) }
            let expiry = try #require(
                text.firstMatch(of: /baton_certificate_expiry_timestamp_seconds\{certificate="server"\} (\d+)/))
            let days = try #require(Double(expiry.1)) / 86400 - Date().timeIntervalSince1970 / 86400
            #expect((390...397).contains(days))
        }
    }

    @Test func `the documentation lists every metric`() async throws {
        try await Scratch.with { scratch in
            let (_, port) = try await server(on: ServerDatabase(), in: scratch)
            let text = try await LiveDevice.MonitoringTests.scrape(port, in: scratch)
            let page = try textOfFile(Repository.root + "/docs/operations/monitoring.md")
            let names = text.matches(of: #/# TYPE (\S+) /#).map { String($0.1) }
            #expect(names.count > 15)
            for name in names { #expect(page.contains("`\(name)`"), "\(name) is not documented") }
        }
    }

    @Test func `without the key nothing listens and nothing is counted`() async throws {
        try await Scratch.with { scratch in
            let server = try ServerProcess(in: scratch)
            try await server.start()
            #expect(try server.administer("GET", "/identity/tenants").status == 200)
            #expect(try server.administer("GET", "/metrics").status == 404)
        }
    }

    @Test(arguments: [["port": 0], ["port": 70_000], ["port": 9464, "path": 1], ["address": 1]])
    func `a malformed key is refused`(value: [String: Int]) async throws {
        try await Scratch.with { scratch in
            let outcome = try await ServerProcess(["metrics": value], in: scratch).fail()
            #expect(outcome.code == EX_CONFIG, "\(outcome.text)")
        }
    }

    @Test func `a log in JSON has one object on each line`() async throws {
        try await Scratch.with { scratch in
            let server = try ServerProcess(["logFormat": "json"], in: scratch)
            try await server.start()
            #expect(try await server.end(by: SIGTERM) == 0)
            let lines = try server.log().split(separator: "\n")
            #expect(!lines.isEmpty)
            for line in lines {
                let value = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                #expect(value?["level"] is String && value?["time"] is String && value?["message"] is String)
            }
            #expect(lines.contains { $0.contains(#""message":"ready""#) })
        }
    }
}

/// The alert rules, tested with simulated faults.
@Suite struct AlertRuleTests {
    @Test func `every alert fires on its fault, and none on a healthy system`() async throws {
        try await Scratch.with { scratch in
            let run = try await RunningProgram.start(
                "/usr/bin/promtool", ["test", "rules", Repository.root + "/Tests/Fixtures/alerts.test.yaml"],
                log: "promtool", awaitsReady: false, in: scratch)
            let (code, log) = (try await run.waitForExit(), try run.log())
            #expect(code == 0, "\(log)")
        }
    }
}
