// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
internal import BrokerProtocol
import CommandLineInterface
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import DeviceSettings
internal import Observability

extension DeviceCommand {
    /// Prints what the broker has counted since it started.
    struct Metrics: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what the broker has counted, as Prometheus text or as a table.",
            discussion: "docs/operations/monitoring.md says how to publish it with node_exporter.")
        @Flag(help: "Print a table for people.") var table = false
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    guard case .metrics(let metrics) = try await device.client.ask(.metrics, patience: 10_000) else {
                        throw OperatorClient.unexpectedReply
                    }
                    return metrics
                }, lines: { table ? Self.rows($0.families) : Self.lines($0.families) })
        }

        private static func lines(_ families: [MetricFamily]) -> [String] {
            PrometheusText.render(families).split(separator: "\n").map(String.init)
        }

        /// One row for each series; for a histogram, only its count and its sum.
        private static func rows(_ families: [MetricFamily]) -> [String] {
            let rows = families.flatMap { family in
                family.samples.filter { $0.suffix != "_bucket" }.map { sample in
                    let labels = stride(from: 1, to: sample.labels.count, by: 2).map { sample.labels[$0] }
                    return [
                        family.declaration.name + sample.suffix, labels.joined(separator: " "),
                        PrometheusText.number(sample.value),
                    ]
                }
            }
            return TextTable.lines(["METRIC", "OF", "VALUE"], rows)
        }
    }
}

extension DeviceMetrics {
    private static let states = DeviceState.Stage.allCases.map(\.rawValue)
    private static let modes = ["shared", "personal", "incomplete"]

    private enum Name {
        static let build = "baton_device_build_info"
        static let signIns = "baton_device_sign_ins_total"
        static let ends = "baton_device_session_ends_total"
        static let handovers = "baton_device_handover_duration_seconds"
        static let requests = "baton_device_requests_total"
        static let errors = "baton_device_errors_total"
        static let opened = "baton_device_connections_opened_total"
        static let limited = "baton_device_connections_limited_total"
        static let open = "baton_device_connections"
        static let memory = "baton_device_resident_memory_bytes"
        static let session = "baton_device_session"
        static let mode = "baton_device_mode"
        static let start = "baton_device_start_time_seconds"
    }

    /// The counts as published metrics. Each known label value has a series, even if nothing was counted for it.
    var families: [MetricFamily] {
        [
            family(
                .gauge, Name.build, by: "version", values: [BrokerVersion.current: 1],
                help: "Always 1; the label is the version."),
            family(
                .counter, Name.signIns, by: "outcome", values: known(SignInOutcome.allCases.map(\.rawValue), signIns),
                help: "Sign-ins of workers that began, succeeded, or could not begin."),
            family(
                .counter, Name.ends, by: "trigger", values: known(SignOutTrigger.allCases.map(\.rawValue), ends),
                help: "Ended sessions and sign-in attempts, by what ended them."),
            histogram,
            family(
                .counter, Name.requests, by: "operation",
                values: known(Operation.all.map(\.rawValue) + ["other"], requests),
                help: "Requests of apps by operation."),
            family(
                .counter, Name.errors, by: "code",
                values: known(BrokerError.Code.all.map { String($0.rawValue) }, errors),
                help: "Requests of apps that were answered with an error, by its number (docs/reference/errors.md)."),
            single(.counter, Name.opened, value: connectionsOpened, help: "Connections that apps opened."),
            single(
                .counter, Name.limited, value: connectionsLimited,
                help: "Connections that were refused or ended because of a limit."),
            single(.gauge, Name.open, value: connectionsOpen, help: "Connections of apps that are open."),
            family(
                .gauge, Name.memory, by: "process", values: memory, help: "Resident memory of the broker's processes."),
            family(
                .gauge, Name.session, by: "state", values: known(Self.states, [session: 1]),
                help: "1 for the state in which the session is."),
            family(
                .gauge, Name.mode, by: "mode", values: known(Self.modes, [mode: 1]),
                help: "1 for the mode in which the device is."),
            single(.gauge, Name.start, value: started, help: "When the broker started, in seconds since 1970."),
        ]
    }

    private var histogram: MetricFamily {
        var family = MetricFamily(
            MetricDeclaration(
                Name.handovers, .histogram(handovers.bounds),
                help: "Time from the commit of a session's end until the device is ready for the next worker."))
        family.add(counts: handovers.counts, sum: handovers.sum)
        return family
    }

    /// Returns the counts of known names, with 0 for those that were not counted. Other names are dropped.
    private func known(_ names: [String], _ counts: [String: Int]) -> [String: Int] {
        Dictionary(names.map { ($0, counts[$0] ?? 0) }) { $1 }
    }

    private func family(
        _ kind: MetricDeclaration.Kind, _ name: String, by label: String, values: [String: Int], help: String
    ) -> MetricFamily {
        var family = MetricFamily(MetricDeclaration(name, kind, labels: [.init(label, values.keys)], help: help))
        for (value, count) in values.sorted(by: { $0.key < $1.key }) { family.add([value], Double(count)) }
        return family
    }

    private func single(
        _ kind: MetricDeclaration.Kind, _ name: String, value: Int, help: String
    ) -> MetricFamily {
        var family = MetricFamily(MetricDeclaration(name, kind, help: help))
        family.add([], Double(value))
        return family
    }
}
