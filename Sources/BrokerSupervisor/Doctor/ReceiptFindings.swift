// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import DeviceKeyStore
internal import DeviceSettings
package import Files
internal import OAuth
internal import Receipts

/// Checks the signatures and the chain of the device's receipts, from the oldest on the device to the newest.
package struct ReceiptFindings: Sendable {
    private let files: DeviceFiles
    private let store: ReceiptStore

    /// - Parameter state: the folder of the device's state.
    package init(state: Directory) {
        files = DeviceFiles(root: state)
        store = ReceiptStore(directory: files.receipts)
    }

    /// Reads and checks every line. Blocks on the disk, for about a tenth of a millisecond per receipt.
    package var all: [CheckResult] {
        do { return try movedAside() + chain() } catch let damage as ReceiptsDamaged {
            return [Self.damaged("\(damage)")]
        } catch {
            return [
                CheckResult(
                    .receipts, .note, code: "receipts_closed", message: "The receipts cannot be read.",
                    remedy: "Run as root or the broker's user.")
            ]
        }
    }

    private func chain() throws -> [CheckResult] {
        guard let end = try store.end(), !end.isAfterDamage else {
            return [
                CheckResult(
                    .receipts, .note, code: "receipts_none", message: "The chain begins with the next hand-over.")
            ]
        }
        let stated = try store.statements().map(\.key).first { $0.thumbprint == end.key }
        guard let key = try stated ?? ReceiptKey(in: files.keyStore)?.published else { return [Self.keyless] }
        let verdict = ChainVerifier(.key(key)).verdict(on: ReceiptFile(bytes: try store.export()))
        guard verdict.isIntact else {
            return [Self.damaged(verdict.faults.prefix(3).map(\.text).joined(separator: "; "))]
        }
        let anchored = try store.anchor(of: end.key)?.sequence
        let intact = CheckResult(
            .receipts, .good, code: "receipts_intact",
            message: "Receipts \(verdict.first ?? 0) to \(verdict.last ?? 0) are as they were signed; "
                + (anchored.map { "the server has countersigned them up to \($0)." }
                    ?? "the server has not countersigned any yet.")
        )
        return stated == nil ? [Self.keyless, intact] : [intact]
    }

    private func movedAside() throws -> [CheckResult] {
        let folders = try store.movedAside()
        guard !folders.isEmpty else { return [] }
        return [
            CheckResult(
                .receipts, .warning, code: "receipts_moved_aside",
                message:
                    "A chain of receipts was damaged, and is kept as it was found: \(folders.joined(separator: ", ")).",
                remedy:
                    "Find out who changed it, or which disk failed; then remove the folder from \(files.receipts.path)."
            )
        ]
    }

    private static let keyless = CheckResult(
        .receipts, .warning, code: "receipts_keyless",
        message:
            "No statement of the device key certifies the key that signs the receipts, so nobody else can verify them.",
        remedy: "The next hand-over writes such a statement; if it does not, look at the broker's log.")

    private static func damaged(_ text: String) -> CheckResult {
        CheckResult(
            .receipts, .bad, code: "receipts_damaged", message: "The receipts are damaged: \(text).",
            remedy: "Keep a copy (baton receipt export). The next hand-over moves the chain aside and begins another.")
    }
}
