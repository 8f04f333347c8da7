// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The random walks of `make soak`. What a walk finds is reported with its seed.
package enum Walks {
    /// How many walks a test makes (`BATON_WALKS`).
    package static let count = setting("BATON_WALKS") ?? 200
    /// The seed of the first walk (`BATON_WALK_SEED`), random by default. Each further walk has the next number.
    package static let seed = setting("BATON_WALK_SEED") ?? Int.random(in: 0..<1 << 31)

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
