// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC

/// The most recent refusals, in memory only. New ones replace the oldest.
package struct RefusalRing: Sendable {
    private(set) package var records: [RefusalRecord] = []
    /// The number of refusals that came too fast to be reported one by one.
    package var unlisted = 0

    private static let capacity = 32

    package init() {}

    package mutating func add(_ record: RefusalRecord) {
        if let last = records.indices.last, records[last].repeats(record) {
            records[last].count += 1
            return
        }
        records.append(record)
        if records.count > Self.capacity { records.removeFirst(records.count - Self.capacity) }
    }
}
