// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC

/// The last refusals, in memory alone; the oldest make room for new ones.
package struct RefusalRing: Sendable {
    private(set) package var records: [RefusalRecord] = []
    /// Those that came too fast to be told one by one.
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
