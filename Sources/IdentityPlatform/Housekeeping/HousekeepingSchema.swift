// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum HousekeepingSchema {
    static let migrations = [
        // When the nodes of a shared database last finished a job.
        Migration("jobs", ["CREATE TABLE job (name TEXT NOT NULL PRIMARY KEY, finished BIGINT NOT NULL)"])
    ]
}

/// When a job was last finished by any node.
enum FinishedJob: Table {
    static let table = "job"
    enum Column: String, ColumnName { case name, finished }
}
