// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// Verifies a device's receipts. It always detects changed, reordered and missing lines. It detects lines missing at
/// the end only up to the last anchor.
package struct ChainVerifier: Sendable {
    /// The basis for identifying the signer.
    package enum Basis: Sendable {
        case trust(ReceiptTrust)
        /// The receipt key, supplied by the caller.
        case key(JSONWebKey)
        case nothing
    }

    private let basis: Basis

    package init(_ basis: Basis) { self.basis = basis }

    package func verdict(on file: ReceiptFile) -> ChainVerdict {
        var verdict = ChainVerdict()
        let statements = file.entries.compactMap { entry -> KeyStatement? in
            guard case .statement(let statement) = entry.entry else { return nil }
            return statement
        }
        let chainKey = file.receipts.first?.receipt.key
        guard let chainKey, let key = key(named: chainKey, statements) else {
            verdict.faults = file.entries.compactMap { number, entry in
                guard case .unreadable = entry else { return nil }
                return .changed(line: number)
            }
            verdict.faults.append(chainKey == nil ? .empty : .keyless)
            return verdict
        }
        var links: [Link] = []
        for (number, entry) in file.entries {
            switch entry {
            case .unreadable: verdict.faults.append(.changed(line: number))
            case .unknownVersion: verdict.faults.append(.unknownVersion(line: number))
            case .statement, .anchor: break
            case .receipt(let receipt, let line):
                guard line.isSigned(by: key) else {
                    verdict.faults.append(receipt.key == chainKey ? .changed(line: number) : .foreign(line: number))
                    continue
                }
                guard receipt.key == chainKey else {
                    verdict.faults.append(.foreign(line: number))
                    continue
                }
                links.append(Link(number: number, receipt: receipt, hash: line.hash))
            }
        }
        judge(links, &verdict)
        verdict.signer = signer(of: links, statements, key: chainKey)
        judge(anchors(in: file, &verdict).filter { $0.key == chainKey }, of: links, &verdict)
        return verdict
    }
}

/// A receipt with a valid signature and its line number in the file.
private struct Link {
    let number: Int
    let receipt: Receipt
    let hash: String

    var sequence: Int { receipt.place.sequence }
}

extension ChainVerifier {
    private func judge(_ links: [Link], _ verdict: inout ChainVerdict) {
        verdict.receipts = links.count
        verdict.firstVersionCount = links.filter { $0.receipt.version == 1 }.count
        verdict.silentCount = links.filter { $0.receipt.remains.unobserved == nil }.count
        verdict.unobserved = Set(links.flatMap { $0.receipt.remains.unobserved ?? [] }).sorted()
        verdict.first = links.map(\.sequence).min()
        verdict.last = links.map(\.sequence).max()
        verdict.damageBefore = links.filter(\.receipt.place.followsDamage).map(\.sequence)
        let damaged = verdict.faults.compactMap { fault -> Int? in
            guard case .changed(let line) = fault else { return nil }
            return line
        }
        let present = Set(links.map(\.sequence))
        for (former, link) in zip(links, links.dropFirst()) {
            guard link.sequence > former.sequence else {
                verdict.faults.append(.reordered(line: link.number))
                continue
            }
            guard link.sequence > former.sequence + 1 else {
                if link.receipt.place.previous != former.hash { verdict.faults.append(.forked(line: link.number)) }
                continue
            }
            let missing = (former.sequence + 1..<link.sequence).filter { !present.contains($0) }
            // An unreadable line was already reported.
            let between = damaged.filter { former.number < $0 && $0 < link.number }.count
            guard let first = missing.first, let last = missing.last else {
                verdict.faults.append(.reordered(line: link.number))
                continue
            }
            if missing.count > between { verdict.faults.append(.missing(first: first, last: last)) }
        }
        if let first = links.first, (first.receipt.place.previous == nil) != (first.sequence == 1) {
            verdict.faults.append(.forked(line: first.number))
        }
    }

    /// Returns the key with that thumbprint: the caller's key, or a key from the device's statements.
    private func key(named name: String, _ statements: [KeyStatement]) -> VerificationKey? {
        var keys = statements.map(\.key)
        if case .key(let pinned) = basis { keys.append(pinned) }
        return keys.first { $0.thumbprint == name }.flatMap { try? $0.verificationKey() }
    }

    private func signer(
        of links: [Link], _ statements: [KeyStatement], key: String
    ) -> ChainVerdict.Signer {
        guard !links.isEmpty else { return .unproven }
        switch basis {
        case .nothing: return .unproven
        case .key(let pinned): return pinned.thumbprint == key ? .pinned : .unproven
        case .trust(let trust):
            let devices = Set(
                statements.filter {
                    $0.tenant == trust.tenant && $0.key.thumbprint == key && $0.isIssued(by: trust.deviceAuthority)
                }.map(\.device))
            let isAll = links.allSatisfy { $0.receipt.tenant == trust.tenant && devices.contains($0.receipt.device) }
            return isAll ? .certified : .unproven
        }
    }

    /// Returns the valid anchors that are signed with the server's key, from the file and from the trust data.
    private func anchors(in file: ReceiptFile, _ verdict: inout ChainVerdict) -> [Anchor] {
        guard case .trust(let trust) = basis, let key = try? trust.anchorKey.verificationKey() else { return [] }
        var anchors: [Anchor] = []
        for (number, entry) in file.entries {
            guard case .anchor(let anchor, let line) = entry else { continue }
            guard line.isSigned(by: key) else {
                verdict.faults.append(.changed(line: number))
                continue
            }
            anchors.append(anchor)
        }
        // Trust data from a file has only anchors that pass both tests.
        let kept = trust.anchors.filter { $0.isSigned(by: key) }.compactMap { try? Anchor($0) }
        return (anchors + kept).filter { $0.tenant == trust.tenant }
    }

    private func judge(_ anchors: [Anchor], of links: [Link], _ verdict: inout ChainVerdict) {
        let hashes = Dictionary(links.map { ($0.sequence, $0.hash) }, uniquingKeysWith: { first, _ in first })
        for anchor in anchors {
            guard let hash = hashes[anchor.sequence] else { continue }
            guard hash == anchor.hash else {
                let fault = ChainVerdict.Fault.anchoredOtherwise(sequence: anchor.sequence)
                if !verdict.faults.contains(fault) { verdict.faults.append(fault) }
                continue
            }
            verdict.anchoredUpTo = max(verdict.anchoredUpTo ?? 0, anchor.sequence)
        }
        if let last = verdict.last, let newest = anchors.map(\.sequence).max(), newest > last {
            verdict.faults.append(.cut(last: last, anchored: newest))
        }
    }
}
