// SPDX-License-Identifier: Apache-2.0
import Receipts

extension Decoder {
    /// A file of receipts from another machine, its verification, and the lines that a device and a server exchange.
    func feedReceipts(_ bytes: [UInt8]) {
        let verdict = ChainVerifier(.nothing).verdict(on: ReceiptFile(bytes: bytes))
        check(!verdict.isIntact, "a file that nobody vouches for is taken for intact")
        _ = try? ReceiptTrust(bytes: bytes)
        guard let line = SignedLine(bytes) else { return }
        _ = try? ChainHead(line)
        _ = try? Anchor(line)
    }
}
