// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
import BrokerProtocol
import FoundationEssentials

/// The output of `baton doctor`.
struct DoctorReport: Encodable, Sendable {
    /// Whether no check has a bad result.
    let isHealthy: Bool
    let brokerAnswers: Bool
    /// nil if the broker does not answer.
    let status: DeviceStatus?
    let movers: [String]
    let findings: [CheckResult]
    let refusals: [RefusalRecord]
    let unlistedRefusals: Int

    private enum CodingKeys: String, CodingKey {
        case isHealthy = "healthy"
        case brokerAnswers, status, movers, findings, refusals, unlistedRefusals
    }

    init(_ diagnosis: Diagnosis, host: [CheckResult]) {
        brokerAnswers = true
        status = diagnosis.status
        movers = diagnosis.movers
        findings = diagnosis.findings + host
        refusals = diagnosis.refusals
        unlistedRefusals = diagnosis.unlisted
        isHealthy = !findings.contains { $0.verdict == .bad }
    }

    /// Creates the report about a device whose broker does not answer.
    init(_ silence: CheckResult, outside: [CheckResult]) {
        brokerAnswers = false
        status = nil
        movers = []
        findings = [silence] + outside
        refusals = []
        unlistedRefusals = 0
        isHealthy = false
    }

    /// Returns the report as text.
    ///
    /// - Parameter all: whether to include checks without a problem.
    func lines(all: Bool) -> [String] {
        let shown = findings.filter { all || $0.verdict != .good }
        let found = CheckResult.Topic.allCases.flatMap { topic in shown.filter { $0.topic == topic }.flatMap(Self.lines)
        }
        let next = movers.isEmpty ? [] : ["", "Events that change this state:"] + movers.map { "  \($0)" }
        return found + next + refusalLines + ["", summary]
    }

    private var summary: String {
        let bad = findings.filter { $0.verdict == .bad }.count
        let warnings = findings.filter { $0.verdict == .warning }.count
        let warned = warnings == 1 ? "1 warning" : "\(warnings) warnings"
        return bad == 0
            ? "Nothing is wrong\(warnings == 0 ? "" : ", \(warned)")."
            : "\(bad) wrong, \(warned)\(brokerAnswers ? "" : "; the broker does not answer")."
    }

    private static func lines(_ finding: CheckResult) -> [String] {
        let mark =
            switch finding.verdict {
            case .good: "ok"
            case .note: "note"
            case .warning: "WARN"
            case .bad: "BAD"
            }
        let head = mark.padded(to: 5) + finding.topic.rawValue.padded(to: 13)
        return ["\(head)\(finding.message) [\(finding.code)]"]
            + (finding.remedy.map { [String(repeating: " ", count: 18) + $0] } ?? [])
    }

    private var refusalLines: [String] {
        guard !refusals.isEmpty else { return [] }
        return ["", "Recent refusals and prompts:"]
            + refusals.flatMap { record in
                let time = Date(timeIntervalSince1970: Double(record.time)).formatted(.iso8601)
                let what = record.code.map { "refused \($0)" } ?? "prompt"
                let who = [record.app, record.clientID.map { "client \($0)" }].compactMap(\.self).joined(
                    separator: ", ")
                let line =
                    "  \(time) \(record.operation ?? "unknown operation"): \(what)"
                    + "\(record.reason.map { " (\($0))" } ?? ""), \(record.level)\(who.isEmpty ? "" : ", " + who)"
                    + (record.count > 1 ? ", \(record.count) times" : "")
                let remedy = record.reason.flatMap { BrokerError.Reason(rawValue: $0).remedy }
                return [line] + (remedy.map { ["    " + $0] } ?? [])
            } + (unlistedRefusals > 0 ? ["  and \(unlistedRefusals) more, which came too fast to be listed"] : [])
    }
}

extension String {
    fileprivate func padded(to length: Int) -> String {
        self + String(repeating: " ", count: max(1, length - count))
    }
}
