// SPDX-License-Identifier: Apache-2.0
package import Storage

/// A database as a node among several sees it: other nodes write to it, and their announcements do not arrive.
package struct SharedDatabase: DatabaseLayer {
    package let database: any Database

    package init(_ database: any Database) { self.database = database }

    package var isShared: Bool { true }

    package func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) {}
}
