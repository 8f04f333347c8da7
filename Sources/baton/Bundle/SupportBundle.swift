// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
import BrokerProtocol
import DeviceKeyStore
import DeviceSettings
import FoundationEssentials
import Glibc
import JSON

/// The data that `baton doctor --bundle` collects from a device for support. It contains no data about people.
///
/// The content is listed here, member by member and value by value: codes, numbers, times, ids of the device and of
/// apps. Texts that contain values, paths, user ids and process ids are left out.
struct SupportBundle {
    private let report: DoctorReport
    private let configuration: BundleConfiguration
    private let log: BundleLog

    init(_ report: DoctorReport, configuration: BundleConfiguration, log: BundleLog) {
        (self.report, self.configuration, self.log) = (report, configuration, log)
    }

    /// Returns the members in order, with their names.
    func members(at time: Int) throws -> [(name: String, content: [UInt8])] {
        try [
            ("manifest.json", Self.encoded(Manifest(made: time))), ("status.json", Self.encoded(Status(report))),
            ("findings.json", Self.encoded(report.findings.map(Finding.init))),
            ("refusals.json", Self.encoded(report.refusals.map(Refusal.init))),
            ("configuration.json", Self.encoded(configuration)), ("versions.json", Self.encoded(SystemVersions())),
            ("log.json", Self.encoded(log)),
        ]
    }

    private static func encoded(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
    }

    private struct Manifest: Encodable {
        var format = 1
        /// When the bundle was made, in seconds since 1970.
        let made: Int
    }

    private struct Status: Encodable {
        let brokerAnswers: Bool
        let session: String?
        let mode: String?
        let reason: String?
        let pending: [String]
        let isEnrolled: Bool?
        let deviceID: String?
        let tenantID: String?
        let registration: RegistrationStatus?
        let apps: [String]
        let lockedApps: [String]
        let isAgentConnected: Bool?
        let problems: Int
        let keys: String?
        let receiptsDamagedAt: Int?

        init(_ report: DoctorReport) {
            let status = report.status
            brokerAnswers = report.brokerAnswers
            (session, mode, reason) = (status?.session, status?.mode, status?.reason)
            pending = status?.pending ?? []
            isEnrolled = status?.enrolled
            (deviceID, tenantID) = (status?.deviceID, status?.tenantID)
            registration = status?.registration
            (apps, lockedApps) = (status?.apps ?? [], status?.lockedApps ?? [])
            isAgentConnected = status?.agentConnected
            problems = status?.problems.count ?? 0
            keys = status?.keys
            receiptsDamagedAt = status?.receiptsDamagedAt
        }
    }

    private struct Finding: Encodable {
        let topic: CheckResult.Topic
        let verdict: CheckResult.Verdict
        let code: String

        init(_ finding: CheckResult) { (topic, verdict, code) = (finding.topic, finding.verdict, finding.code) }
    }

    private struct Refusal: Encodable {
        let kind: RefusalRecord.Kind
        let time: Int
        let count: Int
        let code: Int?
        let reason: String?
        let operation: String?
        let level: String
        let clientID: String?

        init(_ refusal: RefusalRecord) {
            (kind, time, count) = (refusal.kind, refusal.time, refusal.count)
            (code, reason, operation) = (refusal.code, refusal.reason, refusal.operation)
            (level, clientID) = (refusal.level, refusal.clientID)
        }
    }
}

/// The part of `batond.json` that a bundle contains: switches and numbers, but no path, address or user.
struct BundleConfiguration: Encodable {
    /// `read`, `missing` or `unreadable`.
    let state: String
    let keys: [String]
    let sessionPolicy: [String: Int]
    let checkInInterval: Int?
    let sessionUsers: Int
    let resolvedNames: Int

    private static let known: Set<String> = [
        "directory", "runtimeDirectory", "managedMarker", "trustRoots", "resolve", "sessionUsers", "checkInInterval",
        "appRegistry", "sessionPolicy", "tpm", "helper", "logLevel", "logFormat",
    ]

    /// Takes the switches and numbers from the file.
    ///
    /// - Parameter file: the content of the file; nil if there is none.
    init(_ file: [UInt8]?) {
        let object = file.flatMap { try? JSONReader.read($0, limits: JSONLimits(bytes: 1 << 20)) }
        let members = object?.object
        state = file == nil ? "missing" : members == nil ? "unreadable" : "read"
        keys = (members ?? [:]).keys.filter(Self.known.contains).sorted()
        var policy: [String: Int] = [:]
        for (name, value) in members?["sessionPolicy"]?.object ?? [:] {
            if let key = SessionPolicyKey(rawValue: name), let number = value.integer { policy[key.rawValue] = number }
        }
        sessionPolicy = policy
        checkInInterval = members?["checkInInterval"]?.integer
        sessionUsers = members?["sessionUsers"]?.array?.count ?? 0
        resolvedNames = members?["resolve"]?.object?.count ?? 0
    }

}

/// The versions that affect a device's behaviour.
struct SystemVersions: Encodable {
    let baton = BrokerVersion.current
    let kernel: String?
    let machine: String?
    let system: String?
    let systemVersion: String?

    init() {
        var name = utsname()
        let isKnown = unsafe uname(&name) == 0
        kernel = isKnown ? Self.checked(Self.text(name.release)) : nil
        machine = isKnown ? Self.checked(Self.text(name.machine)) : nil
        let lines =
            ((try? Data(contentsOf: URL(filePath: "/etc/os-release"))).map { String(decoding: $0, as: UTF8.self) }
            ?? "").split(separator: "\n")
        func value(_ key: String) -> String? {
            lines.first { $0.hasPrefix(key + "=") }.map { $0.dropFirst(key.count + 1).filter { $0 != "\"" } }
                .flatMap(Self.checked)
        }
        (system, systemVersion) = (value("ID"), value("VERSION_ID"))
    }

    private static func text<Tuple>(_ tuple: Tuple) -> String {
        unsafe withUnsafeBytes(of: tuple) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Returns the text if it is short and contains only characters that occur in versions; otherwise returns nil.
    private static func checked(_ text: String) -> String? {
        let isVersion = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2B, 0x2D, 0x2E, 0x5F].contains(byte)
        }
        return isVersion && text.utf8.count <= 64 ? text : nil
    }
}
