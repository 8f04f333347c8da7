// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import CommandLineInterface
internal import Files
import FoundationEssentials
import Processes

/// Checks this device for problems, whether its broker answers or not.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Diagnose this device: why it is not shared, why an app was refused, and what to do.",
        discussion: """
            Exit codes: 0 no problem found (there may be warnings); 1 problems found; 69 the broker does not answer, and \
            only checks from outside were made. The output never contains secrets or a worker's data.
            """)

    @OptionGroup var state: StateOptions
    @Option(
        help: """
            The file that tells apps that the device is managed (managedMarker of batond.json; default: BATON_MARKER, \
            else \(WellKnownPath.managedMarker)).
            """)
    var marker: String?
    @Option(
        help: """
            Also write an archive (tar) for support staff: status, findings, configuration, versions and the last lines of the \
            log, without personal data. The file must not exist.
            """)
    var bundle: String?
    @Option(help: "batond's configuration file; the archive contains its switches and numbers.")
    var config = "/etc/baton/batond.json"
    @Option(help: "The file with batond's log, for the archive (default: the journal of batond.service).")
    var log: String?
    @Flag(help: "Also show checks that passed.")
    var all = false
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let marker =
            marker ?? ProcessInfo.processInfo.environment["BATON_MARKER"] ?? WellKnownPath.managedMarker
        let report = try await Self.report(device.client, state: state.folder, marker: marker)
        try await output.run(
            {
                if let bundle { try await write(report, to: bundle) }
                return report
            }, lines: { $0.lines(all: all) + (bundle.map { ["The support bundle is in \($0)."] } ?? []) })
        guard report.brokerAnswers else { throw ExitCode.unreachable }
        guard report.isHealthy else { throw ExitCode.failure }
    }

    private func write(_ report: DoctorReport, to path: String) async throws {
        let (config, log) = (config, log)
        try await blocking {
            // A file that cannot be read counts as missing here; another check reports it.
            let settings = (try? AtomicFile(path: config).read(limit: 1 << 20)) ?? nil
            let bundle = SupportBundle(
                report, configuration: BundleConfiguration(settings), log: BundleLog(try LogTail.text(of: log)))
            let time = Int(Date().timeIntervalSince1970)
            try BundleArchive(try bundle.members(at: time), time: time).write(to: path)
        }
    }

    private static func report(_ client: OperatorClient, state: String, marker: String) async throws -> DoctorReport {
        let host = try await blocking { HostFindings().all + [HostFindings.clock] }
        do {
            guard case .diagnosis(let diagnosis) = try await client.ask(.examine, patience: Self.patience) else {
                throw OperatorClient.unexpectedReply
            }
            return DoctorReport(diagnosis, host: host)
        } catch let failure as CommandFailure {
            let outside = try await blocking {
                OutsideFindings(state: Directory(path: state), marker: marker).all
            }
            let silence = CheckResult(
                .session, .bad, code: failure.code, message: failure.message, remedy: failure.remedy)
            return DoctorReport(silence, outside: outside + host)
        }
    }

    /// How long the broker may take to answer, in milliseconds. It queries the server before it answers.
    private static let patience: Int32 = 60_000
}
