// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum NoncesSchema {
    static let migrations = [
        Migration(
            "accepted requests",
            [
                // The signed requests that the nodes of a shared database have accepted. Each request is accepted only
                // once.
                "CREATE TABLE acceptedRequest (digest BLOB NOT NULL PRIMARY KEY, expires BIGINT NOT NULL)",
                "CREATE INDEX acceptedRequestByEnd ON acceptedRequest (expires)",
            ])
    ]
}

/// A signed request that a node has accepted.
enum AcceptedRequest: Table {
    static let table = "acceptedRequest"
    enum Column: String, ColumnName { case digest, expires }
}
