// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum PasswordsSchema {
    static let migrations = [
        Migration(
            "passwords",
            [
                // `drained` is the time at which the last counted failure expires. `hash` is the keyed hash of a name,
                // of a place (an address, device or browser) or of both.
                """
                CREATE TABLE signInThrottle (
                    tenant TEXT NOT NULL REFERENCES tenant (id), kind TEXT NOT NULL, hash BLOB NOT NULL,
                    drained BIGINT NOT NULL, expires BIGINT NOT NULL, PRIMARY KEY (tenant, kind, hash))
                """,
                "CREATE INDEX signInThrottleByEnd ON signInThrottle (tenant, expires)",
            ]),
        // The name's hash is stored so that an administrator can reset all counts of a person.
        Migration(
            "throttled names",
            [
                "ALTER TABLE signInThrottle ADD COLUMN nameHash BLOB",
                "CREATE INDEX signInThrottleByName ON signInThrottle (tenant, nameHash)",
            ]),
    ]
}
