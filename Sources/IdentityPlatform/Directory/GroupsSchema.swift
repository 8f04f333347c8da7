// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum GroupsSchema {
    /// Adds the devices of groups.
    static let devices = [
        Migration(
            "group devices",
            [
                """
                CREATE TABLE groupDevice (
                    tenant TEXT NOT NULL, directoryGroup TEXT NOT NULL, device TEXT NOT NULL,
                    PRIMARY KEY (tenant, directoryGroup, device),
                    FOREIGN KEY (tenant, directoryGroup) REFERENCES directoryGroup (tenant, id) ON DELETE CASCADE,
                    FOREIGN KEY (tenant, device) REFERENCES device (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX groupDeviceByDevice ON groupDevice (tenant, device)",
            ])
    ]

    static let migrations = [
        Migration(
            "groups",
            [
                """
                CREATE TABLE directoryGroup (
                    tenant TEXT NOT NULL REFERENCES tenant (id), id TEXT NOT NULL, displayName TEXT NOT NULL,
                    mailNickname TEXT NOT NULL, description TEXT, created BIGINT NOT NULL, PRIMARY KEY (tenant, id))
                """,
                "CREATE INDEX directoryGroupByName ON directoryGroup (tenant, displayName)",
                """
                CREATE TABLE groupMember (
                    tenant TEXT NOT NULL, directoryGroup TEXT NOT NULL, person TEXT NOT NULL,
                    PRIMARY KEY (tenant, directoryGroup, person),
                    FOREIGN KEY (tenant, directoryGroup) REFERENCES directoryGroup (tenant, id) ON DELETE CASCADE,
                    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX groupMemberByPerson ON groupMember (tenant, person)",
            ])
    ]
}
