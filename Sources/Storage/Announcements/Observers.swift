// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The observers of one database's announcements.
package final class Observers: Sendable {
    private let all = Mutex<[@Sendable (any Announcement) -> Void]>([])

    package init() {}

    package func add(_ observer: @escaping @Sendable (any Announcement) -> Void) {
        all.withLock { $0.append(observer) }
    }

    package func tell(_ announcement: any Announcement) {
        for observer in all.withLock({ $0 }) { observer(announcement) }
    }
}
