// SPDX-License-Identifier: Apache-2.0

/// The time between two changes of who is signed in: a random id and a counter.
///
/// Equality decides whether something still belongs to now; the counter only orders.
package struct Epoch: Hashable, Sendable {
    /// 128 random bits as 32 lower-case hexadecimal digits.
    package let id: String
    package let counter: UInt64

    /// Makes an epoch of checked parts; nil when the id is not 32 lower-case hexadecimal digits.
    package init?(id: String, counter: UInt64) {
        guard id.utf8.count == 32, id.utf8.allSatisfy({ Self.digits.contains($0) }) else { return nil }
        self.id = id
        self.counter = counter
    }

    /// Begins an epoch of `random` with the next counter.
    package init(random: inout some RandomNumberGenerator, counter: UInt64) {
        var id = ""
        for _ in 0..<2 {
            let half = String(random.next() as UInt64, radix: 16)
            id += String(repeating: "0", count: 16 - half.count) + half
        }
        self.id = id
        self.counter = counter
    }

    private static let digits = Set("0123456789abcdef".utf8)
}

extension Epoch: LosslessStringConvertible {
    /// `<counter>.<id>`.
    package var description: String { "\(counter).\(id)" }

    package init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let counter = UInt64(parts[0]) else { return nil }
        self.init(id: String(parts[1]), counter: counter)
    }
}
