// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceHTTPS
import DeviceSettings
import Files
import Foundation
import TestSupport
import Testing

@Suite struct DoctorTests {
    // MARK: - Shared or not

    private func codes(_ findings: [CheckResult], _ verdict: CheckResult.Verdict) -> Set<String> {
        Set(findings.filter { $0.verdict == verdict }.map(\.code))
    }

    /// Returns the findings about a device with these facts.
    private func findings(_ facts: Set<DeviceMode.Missing>, enrolled: Bool = true) -> [CheckResult] {
        let settings = ManagedSettings(
            enrolled: enrolled, brokerManaged: facts.contains(.brokerPackage), profileShared: facts.contains(.profile),
            appConfigurationShared: facts.contains(.appConfiguration), apps: [])
        let mode = DeviceMode(
            .init(
                brokerManaged: settings.brokerManaged, profile: settings.profileShared,
                appConfiguration: settings.appConfigurationShared, joined: facts.contains(.join)))
        return CheckResult.sharedMode(settings, isJoined: facts.contains(.join), mode: mode)
    }

    @Test(arguments: DeviceMode.Missing.allCases)
    func `each fact that keeps a device from being shared is named with its remedy`(missing: DeviceMode.Missing) throws
    {
        let findings = findings(Set(DeviceMode.Missing.allCases).subtracting([missing]))
        let reason = DeviceMode.incomplete(missing).reason
        #expect(codes(findings, .bad) == ["incomplete", reason])
        #expect(findings.first { $0.code == reason }?.remedy == DeviceMode.incomplete(missing).remedy)
    }

    @Test func `every missing fact is named, not only the first one`() {
        let findings = findings([.profile], enrolled: false)
        let all = ["incomplete", "not_enrolled", "broker_package_missing", "app_configuration_missing", "not_joined"]
        #expect(codes(findings, .bad) == Set(all))
        #expect(findings.filter { $0.verdict == .bad }.allSatisfy { $0.remedy != nil })
    }

    @Test func `each locked app is named, with what to do`() {
        let findings = CheckResult.lockedApps(["org.example.notes", "org.example.ward"])
        #expect(codes(findings, .bad) == ["app_locked"] && findings.count == 2)
        #expect(findings[1].message.hasPrefix("org.example.ward ") && findings[1].remedy?.contains("Start") == true)
        #expect(CheckResult.lockedApps([]).isEmpty)
        let withoutEraser = CheckResult.lockedApps(["org.example.notes"], withoutEraser: ["org.example.notes"])
        #expect(withoutEraser[0].remedy?.contains("Start") == false)
        #expect(withoutEraser[0].remedy?.contains("baton device unlock org.example.notes") == true)
    }

    @Test func `of a folder that cannot be moved, the doctor says who must be able to write`() throws {
        // rename(2) refuses to move a folder that its owner may not write to, such as one of mode 0500.
        let remedy = try #require(
            CheckResult.lockedApps(["org.example.notes"], ["org.example.notes": .notMoved]).first?.remedy)
        #expect(
            remedy.hasPrefix("Give the session's user write permission for the folder and for the folder above it."))
        #expect(remedy.contains("Then sign in and out, which tries again."))
    }

    @Test func `a shared device has no remedy, and a personal one no fault`() {
        #expect(Set(findings(Set(DeviceMode.Missing.allCases)).map(\.verdict)) == [.good])
        #expect(codes(findings([]), .bad).isEmpty && codes(findings([]), .note).contains("not_configured"))
    }

    // MARK: - The session

    private func status(_ session: String, pending: [String] = [], mode: String = "shared", agent: Bool = true)
        -> DeviceStatus
    {
        var random = Zeros()
        return DeviceStatus(
            session: session, pending: pending, epoch: Epoch(random: &random, counter: 1), mode: mode, reason: mode,
            remedy: nil, enrolled: true,
            tenantID: nil, deviceID: nil, apps: [], agentConnected: agent)
    }

    @Test(arguments: ["ready", "signingIn", "joining", "signedIn"])
    func `the diagnosis of every state names the events that would end it`(session: String) {
        let diagnosis = SessionDiagnosis(status(session))
        #expect(!diagnosis.movers.isEmpty && diagnosis.findings.allSatisfy { $0.verdict != .bad })
    }

    @Test func `a joined device is not told to join, and an unjoined one is told only to join`() {
        #expect(SessionDiagnosis(status("ready")).movers == ["A worker signs in through an app."])
        #expect(
            SessionDiagnosis(status("ready", mode: "incomplete")).movers == [
                "An administrator runs: baton device join."
            ])
    }

    @Test func `the doctor's remedy fixes an app that was refused`() {
        let reasons: [BrokerError.Reason] = [
            .unknownClient, .otherApp, .blocked, .unlisted, .agentMissing, .browserBroke, .programBroke,
        ]
        for reason in reasons { #expect(reason.remedy?.hasSuffix(".") == true) }
        #expect(BrokerError.Reason(rawValue: "nobody_knows").remedy == nil && BrokerError.Reason.nobody.remedy == nil)
    }

    @Test func `the doctor warns of missing input reports, and only while a worker is signed in`() {
        func codes(_ session: String, idle: Int = 900, isReceived: Bool = false, agent: Bool = true) -> [String] {
            let rules = SessionTimeouts(idle: idle, idleWarning: 60, shiftLength: 60, shiftEnds: [])
            let sessionPolicy = SessionPolicy(timeouts: rules, willEndPatience: 0, eraserPatience: 0)
            return CheckResult.input(sessionPolicy, isReceived: isReceived, status: status(session, agent: agent))
                .map(\.code)
        }
        #expect(codes("signedIn") == ["input_unheard"])
        #expect(codes("signedIn", isReceived: true) == ["input_heard"])
        #expect(codes("ready").isEmpty && codes("signedIn", idle: 0).isEmpty && codes("signedIn", agent: false).isEmpty)
    }

    @Test func `a sign-out in progress names what is pending and who clears it`() throws {
        let diagnosis = SessionDiagnosis(status("signingOut", pending: ["browser", "files"]))
        #expect(diagnosis.movers.count == 2 && diagnosis.movers[0].contains("baton-agent"))
        let finding = try #require(diagnosis.findings.first { $0.code == "signing_out" })
        #expect(finding.verdict == .warning && finding.message.contains("browser, files"))
    }

    @Test func `a missing agent is an error only on a shared device`() {
        #expect(codes(SessionDiagnosis(status("ready", agent: false)).findings, .bad) == ["agent_missing"])
        #expect(codes(SessionDiagnosis(status("ready", mode: "personal", agent: false)).findings, .bad).isEmpty)
    }

    @Test func `an unknown state is reported as such`() {
        #expect(codes(SessionDiagnosis(status("dancing")).findings, .warning) == ["state_unknown"])
    }

    // MARK: - The machine

    /// Returns the finding about a machine with these files.
    private func host(_ files: [String: String], _ look: (HostFindings) -> CheckResult) async throws -> String {
        try await Scratch.with { scratch in
            for (path, text) in files {
                let folder = URL(filePath: scratch.path(path)).deletingLastPathComponent()
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try scratch.write(text, to: path)
            }
            return look(HostFindings(root: scratch.path)).code
        }
    }

    private static let head = "Filename Type Size Used Priority\n"

    @Test(
        arguments: [
            ([:], "swap_unknown"), (["proc/swaps": head], "swap_off"),
            (["proc/swaps": head + "/dev/sda2\tpartition\t1\t0\t-2\n"], "swap_unencrypted"),
            (["proc/swaps": head + "/swapfile\tfile\t1\t0\t-2\n"], "swap_unencrypted"),
            (
                ["proc/swaps": head + "/dev/dm-1 partition 1 0 -2\n", "sys/block/dm-1/dm/uuid": "CRYPT-PLAIN-swap\n"],
                "swap_encrypted"
            ),
            (
                ["proc/swaps": head + "/dev/dm-1 partition 1 0 -2\n", "sys/block/dm-1/dm/uuid": "LVM-x\n"],
                "swap_unencrypted"
            ),
            (
                ["proc/swaps": head + "/dev/zram0 partition 1 0 9\n", "sys/block/zram0/backing_dev": "none\n"],
                "swap_encrypted"
            ),
            (
                ["proc/swaps": head + "/dev/zram0 partition 1 0 9\n", "sys/block/zram0/backing_dev": "/dev/sda3\n"],
                "swap_unencrypted"
            ),
        ] as [([String: String], String)])
    func `swap is judged by its location`(files: [String: String], code: String) async throws {
        #expect(try await host(files, \.swap) == code)
    }

    @Test func `core dumps and a TPM are found where the kernel shows them`() async throws {
        #expect(try await host(["proc/sys/kernel/core_pattern": "core\n"], \.corePattern) == "core_limited")
        #expect(try await host(["proc/sys/kernel/core_pattern": "|/lib/systemd/x\n"], \.corePattern) == "core_piped")
        #expect(try await host([:], \.corePattern) == "core_unknown")
        #expect(try await host([:], \.tpm) == "tpm_missing")
        #expect(try await host(["dev/tpm0": ""], \.tpm) == "tpm_there")
    }

    // MARK: - Files

    @Test func `a file that other users can access is named`() async throws {
        try await Scratch.with { scratch in
            let state = Directory(path: scratch.path("device"))
            try DeviceFiles(root: state).prepare()
            try scratch.write("x", to: "device/keys/device.pem")
            func found() -> [String] { FileFindings(state: state).all.map { "\($0.code) \($0.verdict)" } }
            #expect(found() == ["files_private good"])
            let key = scratch.path("device/keys/device.pem")
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
            #expect(found() == ["file_mode bad"])
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: state.path)
            #expect(found() == ["file_mode bad"])
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: state.path)
            try #require(getuid() == 0, "a file of another user needs the right to make one")
            try FileManager.default.setAttributes([.ownerAccountID: 61_201], ofItemAtPath: key)
            #expect(found() == ["file_owner bad"])
            #expect(FileFindings(state: Directory(path: scratch.path("none"))).all.map(\.code) == ["state_missing"])
        }
    }

    @Test func `a path that cannot be read does not count as intact`() async throws {
        try await Scratch.with { scratch in
            let state = Directory(path: scratch.path("device"))
            try state.make()
            try scratch.write("no folder", to: "device/keys")
            #expect(FileFindings(state: state).all.map(\.code) == ["state_closed"])
            let found = OutsideFindings(state: state, marker: state.path).all.map(\.code)
            #expect(found.contains("marker_closed") && !found.contains("marker_missing"))
        }
    }

    @Test func `a missing folder is reported without its files`() async throws {
        try await Scratch.with { scratch in
            let state = Directory(path: scratch.path("none"))
            let found = OutsideFindings(state: state, marker: scratch.path("marker")).all.map(\.code)
            #expect(found == ["marker_missing", "state_missing"])
        }
    }

    // MARK: - Refusals

    private func refusal(_ reason: String) -> RefusalRecord {
        RefusalRecord(
            kind: .refused, time: 1, operation: "login", code: -51414, reason: reason, level: "session-bound", app: nil,
            clientID: nil)
    }

    @Test func `the ring of refusals keeps the newest ones, and counts repeated ones`() {
        var ring = RefusalRing()
        for _ in 0..<3 { ring.add(refusal("a")) }
        #expect(ring.records.count == 1 && ring.records[0].count == 3)
        for number in 0..<100 { ring.add(refusal("\(number)")) }
        #expect(ring.records.count == 32 && ring.records.last?.reason == "99" && ring.records.first?.reason == "68")
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799), ("Sat, 21 Nov 2026 16:24:29 GMT", 1_795_278_269),
        ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
    ])
    func `the date of a server is read`(text: String, seconds: Int) {
        #expect(HTTPDate(text)?.seconds == seconds)
    }

    @Test(arguments: [
        "", "now", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
    ])
    func `a malformed date from a server is rejected`(text: String) { #expect(HTTPDate(text) == nil) }
}
