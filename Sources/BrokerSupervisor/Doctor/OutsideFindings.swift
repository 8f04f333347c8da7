// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import DeviceKeyStore
internal import DeviceSettings
package import Files

/// Checks a device whose broker does not answer.
package struct OutsideFindings: Sendable {
    private let state: Directory
    private let marker: String

    /// - Parameters:
    ///   - state: the folder of the device's state.
    ///   - marker: the file that tells apps that the device is managed.
    package init(state: Directory, marker: String) {
        self.state = state
        self.marker = marker
    }

    /// The findings from the files. Blocks on the disk.
    package var all: [CheckResult] {
        let files = FileFindings(state: state).all
        // If the folder is missing, it is unknown whether there are a journal, keys or receipts.
        guard !files.contains(where: { $0.code == "state_missing" }) else { return [managed] + files }
        return [journal, managed] + files + KeyFindings(state: state).all + ReceiptFindings(state: state).all
    }

    /// The state in which the broker left the device.
    private var journal: CheckResult {
        do {
            guard let record = try DeviceFiles(root: state).journal() else {
                return CheckResult(
                    .session, .note, code: "journal_none",
                    message: "There is no journal in \(state.path): no broker has used this folder.")
            }
            return CheckResult(
                .session, .note, code: "journal_\(record.stateName)",
                message:
                    "The journal's state is \(record.stateName). The broker continues from it when it starts; until "
                    + "then no app is served.")
        } catch is DeviceStateDamaged {
            return CheckResult(
                .session, .bad, code: "journal_damaged",
                message: "The journal is damaged: the broker cannot start with it.",
                remedy: "See docs/architecture.md; never remove the journal alone.")
        } catch {
            return CheckResult(
                .session, .note, code: "journal_closed", message: "The journal cannot be opened.",
                remedy: "Run as root or the broker's user.")
        }
    }

    private var managed: CheckResult {
        let isThere: Bool
        do { isThere = try AtomicFile(path: marker).read(limit: 4096) != nil } catch {
            return CheckResult(
                .mode, .bad, code: "marker_closed",
                message: "\(marker) cannot be read (\(error)): apps may not find out that the device is managed.",
                remedy: "Make it a plain file that everybody may read.")
        }
        return !isThere
            ? CheckResult(
                .mode, .note, code: "marker_missing",
                message: "\(marker) does not exist: while the broker is down, apps treat this device as unmanaged.")
            : CheckResult(
                .mode, .good, code: "marker_there",
                message: "Apps can tell that the device is managed, and never treat it as personal.")
    }
}
