// SPDX-License-Identifier: Apache-2.0

/// The cost of one password guess (scrypt, RFC 7914). Memory is 128 · N · r bytes.
package struct PasswordCost: Sendable, Hashable {
    /// log₂ of N.
    package let logarithm: Int
    package let blockSize: Int
    package let parallelism: Int

    /// Creates a cost; returns nil unless N is within 2¹…2²⁰, the block size within 1…16 and the parallelism within
    /// 1…4. These limits also bound the work that a stored hash can cause.
    package init?(logarithm: Int, blockSize: Int, parallelism: Int) {
        guard (1...20).contains(logarithm), (1...16).contains(blockSize), (1...4).contains(parallelism) else {
            return nil
        }
        self.init(checked: logarithm, blockSize, parallelism)
    }

    private init(checked logarithm: Int, _ blockSize: Int, _ parallelism: Int) {
        self.logarithm = logarithm
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// The amount of work: the number of blocks that scrypt mixes.
    package var rounds: Int { (1 << logarithm) * blockSize * parallelism }

    /// N = 2¹⁵, r = 8, p = 3: 32 MiB and about 0.3 s, the minimum that OWASP recommends.
    package static let standard = PasswordCost(checked: 15, 8, 3)
    /// N = 2⁴, for tests only.
    package static let minimal = PasswordCost(checked: 4, 8, 1)
}
