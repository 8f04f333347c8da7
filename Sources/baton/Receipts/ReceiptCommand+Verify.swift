// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandLineInterface
import DeviceKeyStore
import OAuth
import Receipts

extension ReceiptCommand {
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Verify receipts, and report exactly what is proven.",
            discussion: """
                Changed, reordered and missing receipts are always detected; at the end of the chain missing ones are detected \
                up to the last anchor. Nothing can be proven against root on a device without a TPM. Without --trust, \
                receipts of this device are checked with its own key.
                """)
        @Option(help: "The tenant's trust file, printed by baton admin receipt trust.") var trust: String?
        @OptionGroup var source: ReceiptSource
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.reporting {
                let file = try await source.file()
                let verdict = ChainVerifier(try await basis()).verdict(on: file)
                let report = VerifyReport(verdict, isAnchorChecked: trust != nil)
                if output.json { try OutputOptions.print(json: report) } else { try OutputOptions.print(report.lines) }
                guard verdict.isIntact else { throw report.failure }
            }
        }

        private func basis() async throws -> ChainVerifier.Basis {
            guard let trust else { return try await source.ownKey().map { .key($0.published) } ?? .nothing }
            do { return .trust(try ReceiptTrust(bytes: try ReceiptSource.read(trust))) } catch {
                if error is CommandFailure { throw error }
                throw CommandFailure(
                    code: "trust_unreadable", message: "\(trust) is not a tenant's trust file.",
                    remedy: "Make it on the server's machine: baton admin receipt trust.")
            }
        }
    }
}

/// A verdict as it is printed; docs/receipts.md lists the keys.
struct VerifyReport: Encodable {
    struct Fault: Encodable {
        let code: String
        let text: String
    }

    let intact: Bool
    let signer: String
    let receipts: Int
    let first: Int?
    let last: Int?
    /// The sequence number of the newest receipt for which the server's countersignature matches.
    let anchoredUpTo: Int?
    let faults: [Fault]
    /// Statements about what the verification covers and what it does not.
    let limits: [String]

    init(_ verdict: ChainVerdict, isAnchorChecked: Bool) {
        intact = verdict.isIntact
        signer =
            switch verdict.signer {
            case .certified: "certified"
            case .pinned: "own_key"
            case .unproven: "unproven"
            }
        (receipts, first, last) = (verdict.receipts, verdict.first, verdict.last)
        anchoredUpTo = verdict.anchoredUpTo
        faults = verdict.faults.map { Fault(code: $0.code, text: $0.text) }
        limits = Self.limits(verdict, isAnchorChecked)
    }

    private static func limits(_ verdict: ChainVerdict, _ isAnchorChecked: Bool) -> [String] {
        var limits: [String] = []
        switch verdict.signer {
        case .certified: break
        case .pinned: limits.append("Only this device vouches for the signer's key (--trust).")
        case .unproven:
            limits.append(
                "Nobody vouches for the signer's key, so anybody could have made this file (--trust).")
        }
        if let first = verdict.first, first > 1 {
            limits.append("Receipts 1 to \(first - 1) are not here and were not checked.")
        }
        if verdict.firstVersionCount > 0 {
            limits.append(
                "\(verdict.firstVersionCount) receipts have version 1. That version also used the grade \"enforced\" "
                    + "for a browser whose end only the agent had reported, and for items whose end a crashed broker "
                    + "had not observed.")
        }
        if !verdict.unobserved.isEmpty {
            let names = verdict.unobserved.map(TextTable.printable).joined(separator: ", ")
            limits.append(
                "After at least one session these places were not examined (docs/reference/leftovers.md): \(names).")
        }
        if verdict.silentCount > 0 {
            limits.append(
                "\(verdict.silentCount) receipts are from an earlier version, which did not record which places were "
                    + "not examined.")
        }
        for sequence in verdict.damageBefore {
            limits.append("Receipt \(sequence) records that the receipts before it had been damaged on the device.")
        }
        if let anchored = verdict.anchoredUpTo {
            limits.append(
                "Anchored up to \(anchored): no receipt up to that number was left out. Receipts that follow the last "
                    + "one here, and have a number above \(anchored), could have been left out undetected.")
        } else if let last = verdict.last {
            limits.append(
                "Not anchored\(isAnchorChecked ? "" : " (anchors are checked with --trust only)"): receipts after "
                    + "\(last) could have been left out undetected.")
        }
        limits.append(
            "On a device without a TPM, anyone with root access could have signed anything with the device's key.")
        return limits
    }

    var lines: [String] {
        let range = first.flatMap { first in last.map { " (\(first) to \($0))" } } ?? ""
        return ["\(receipts) receipts\(range): \(intact ? "intact" : "NOT intact")", "signer: \(signer)"]
            + faults.map { "fault: \($0.text)" } + limits.map { "note: \($0)" }
    }

    var failure: CommandFailure {
        guard !faults.isEmpty else {
            return CommandFailure(
                code: "receipt_signer_unproven", message: "Nobody vouches for the key that signed the receipts.",
                remedy: "Give the tenant's trust file with --trust.")
        }
        return CommandFailure(
            code: "receipts_broken", message: faults.map(\.text).joined(separator: "; ") + ".",
            remedy: "Compare with the server's audit log, and find out who had access to the device or to the file.")
    }
}
