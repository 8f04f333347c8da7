// SPDX-License-Identifier: Apache-2.0
import Crypto
import OAuth
import Receipts
import Testing

@Suite struct ChainVerifierTests {
    @Test func `an unchanged chain is intact, and its signer is the tenant's device`() throws {
        let verdict = try Chain(5).verdict()
        #expect(verdict.isIntact)
        #expect(verdict.signer == .certified)
        #expect((verdict.receipts, verdict.first, verdict.last) == (5, 1, 5))
        #expect(verdict.anchoredUpTo == nil)
        #expect(verdict.unanchored == 5)
    }

    @Test func `a verdict names what nobody observed, and counts the receipts without this information`() throws {
        var chain = try Chain(2)
        try chain.append(unobserved: ["swap"])
        try chain.append(unobserved: ["clipboard", "swap"])
        try chain.append(unobserved: [])
        let verdict = try chain.verdict()
        #expect(verdict.isIntact)
        #expect(verdict.unobserved == ["clipboard", "swap"])
        #expect(verdict.silentCount == 2)
    }

    /// Changes one bit of each byte of the file in turn.
    @Test func `a change of any byte is found`() throws {
        let chain = try Chain(2)
        let file = Chain.file([chain.statement] + chain.lines + [try chain.anchor(1)])
        let verifier = ChainVerifier(.trust(try chain.trust()))
        #expect(verifier.verdict(on: ReceiptFile(bytes: file)).isIntact)
        var unseen: [Int] = []
        for index in file.indices {
            var changed = file
            changed[index] ^= [0x01, 0x20, 0x80][index % 3]
            let verdict = verifier.verdict(on: ReceiptFile(bytes: changed))
            if verdict.isIntact { unseen.append(index) }
        }
        #expect(unseen.isEmpty)
    }

    @Test func `lines in the wrong order are detected, whichever two are swapped`() throws {
        let chain = try Chain(5)
        for first in 0..<4 {
            for second in (first + 1)..<5 {
                var lines = chain.lines
                lines.swapAt(first, second)
                let verdict = try chain.verdict(on: lines)
                #expect(!verdict.isIntact)
                #expect(Set(verdict.faults.map(\.code)).isSubset(of: ["reordered", "forked"]))
            }
        }
    }

    @Test func `a duplicate line is detected`() throws {
        let chain = try Chain(3)
        let verdict = try chain.verdict(on: [chain.lines[0], chain.lines[1], chain.lines[1], chain.lines[2]])
        #expect(verdict.faults == [.reordered(line: 4)])
    }

    @Test func `missing lines between others are named`() throws {
        let chain = try Chain(6)
        var lines = chain.lines
        lines.removeSubrange(2...3)
        let verdict = try chain.verdict(on: lines)
        #expect(verdict.faults == [.missing(first: 3, last: 4)])
    }

    @Test func `the verdict on a file without the first receipts names the first one present`() throws {
        let chain = try Chain(5)
        let verdict = try chain.verdict(on: Array(chain.lines.dropFirst(2)))
        #expect(verdict.isIntact)
        #expect(verdict.first == 3)
    }

    @Test func `a first line that is not the chain's is detected`() throws {
        let chain = try Chain(3)
        let first = try chain.line(1, previous: chain.lines[2].hash)
        #expect(try chain.verdict(on: [first]).faults == [.forked(line: 2)])
        let second = try chain.line(2, previous: nil)
        #expect(try chain.verdict(on: [second]).faults == [.forked(line: 2)])
    }

    @Test func `a changed line that its own key has signed again is detected by the next line`() throws {
        let chain = try Chain(3)
        let other = try chain.line(2, previous: chain.lines[0].hash, device: Chain.device)
        let verdict = try chain.verdict(on: [chain.lines[0], other, chain.lines[2]])
        #expect(verdict.faults == [.forked(line: 4)])
    }

    @Test func `receipts missing at the end are detected up to the last anchor, and not after it`() throws {
        let chain = try Chain(6)
        let anchor = try chain.anchor(4)
        for count in 1...6 {
            let lines = Array(chain.lines.prefix(count))
            // The anchor may be in the file, or come from the server.
            let verdicts = [
                try chain.verdict(on: lines, anchors: [anchor]), try chain.verdict(on: lines, kept: [anchor]),
            ]
            for verdict in verdicts {
                #expect(verdict.isIntact == (count >= 4))
                #expect(verdict.anchoredUpTo == (count >= 4 ? 4 : nil))
                #expect(verdict.faults == (count >= 4 ? [] : [.cut(last: count, anchored: 4)]))
                #expect(verdict.unanchored == (count >= 4 ? count - 4 : count))
            }
        }
    }

    @Test func `a rewritten chain does not match the countersigned one`() throws {
        let key = P256.Signing.PrivateKey()
        let (chain, other) = (try Chain(3, key: key), try Chain(4, key: key))
        let verdict = try chain.verdict(kept: [try chain.anchor(2, hash: other.lines[1].hash)])
        #expect(verdict.faults == [.anchoredOtherwise(sequence: 2)])
        #expect(verdict.anchoredUpTo == nil)
    }

    @Test func `an anchor that another key signed does not count`() throws {
        let chain = try Chain(3)
        let verdict = try chain.verdict(anchors: [try chain.anchor(3, by: P256.Signing.PrivateKey())])
        #expect(verdict.faults == [.changed(line: 5)])
        #expect(verdict.anchoredUpTo == nil)
    }

    @Test func `a device of another authority, or of none, is not accepted as the tenant's`() throws {
        let (chain, other) = (try Chain(2), try Chain(2))
        let file = ReceiptFile(bytes: Chain.file([chain.statement] + chain.lines))
        let foreign = ChainVerifier(.trust(try chain.trust(authority: other.authority))).verdict(on: file)
        #expect(foreign.signer == .unproven)
        #expect(!foreign.isIntact)
        #expect(ChainVerifier(.nothing).verdict(on: file).signer == .unproven)
        let bare = ReceiptFile(bytes: Chain.file(chain.lines))
        #expect(ChainVerifier(.trust(try chain.trust())).verdict(on: bare).faults == [.keyless])
        let key = try JSONWebKey(.p256(chain.key.publicKey))
        #expect(ChainVerifier(.key(key)).verdict(on: bare).isIntact)
        let wrong = try JSONWebKey(.p256(other.key.publicKey))
        #expect(ChainVerifier(.key(wrong)).verdict(on: file).signer == .unproven)
    }

    @Test func `a receipt of a device without a statement is not certified`() throws {
        var chain = try Chain(2)
        try chain.append(device: "33333333-3333-3333-3333-333333333333")
        #expect(try chain.verdict().signer == .unproven)
    }

    @Test func `a line of another chain is reported as foreign`() throws {
        let (chain, other) = (try Chain(2), try Chain(3))
        let verdict = try chain.verdict(on: chain.lines + [other.lines[2]])
        #expect(verdict.faults == [.foreign(line: 4)])
    }

    @Test func `a line of a later version does not count as changed`() throws {
        let chain = try Chain(2)
        var body = MembersWriter()
        body.set(ReceiptName.type, LineType.receipt)
        body.set(ReceiptName.version, Receipt.currentVersion + 1)
        let later = try SignedLine(body, signedWith: .p256(chain.key))
        #expect(try chain.verdict(on: chain.lines + [later]).faults == [.unknownVersion(line: 4)])
    }

    @Test func `a chain of both versions is intact, and the verdict counts the receipts of version 1`() throws {
        var chain = try Chain(0)
        for version in [1, 1, 2] { try chain.append(version: version) }
        let verdict = try chain.verdict(anchors: [chain.anchor(2), chain.anchor(3)])
        #expect(verdict.isIntact && verdict.receipts == 3 && verdict.anchoredUpTo == 3)
        #expect(verdict.firstVersionCount == 2)
    }

    @Test func `an empty file has no receipt`() throws {
        #expect(ChainVerifier(.nothing).verdict(on: ReceiptFile(bytes: [])).faults == [.empty])
    }
}
