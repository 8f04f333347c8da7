// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum DeviceRegistrationSchema {
    static let migrations = [
        Migration(
            "deviceRegistration",
            [
                """
                CREATE TABLE deviceRegistrationRules (
                    tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id), allowedToJoin TEXT NOT NULL,
                    allowedToRegister TEXT NOT NULL, userDeviceQuota BIGINT)
                """,
                """
                CREATE TABLE deviceRegistrant (
                    tenant TEXT NOT NULL, act TEXT NOT NULL, person TEXT NOT NULL,
                    PRIMARY KEY (tenant, act, person),
                    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX deviceRegistrantByPerson ON deviceRegistrant (tenant, person)",
                // `hash` is SHA-256 over the key in the device's encoding. The device later identifies the key by this
                // hash.
                """
                CREATE TABLE helloKey (
                    tenant TEXT NOT NULL, person TEXT NOT NULL, device TEXT NOT NULL, hash BLOB NOT NULL,
                    key BLOB NOT NULL, registered BIGINT NOT NULL, PRIMARY KEY (tenant, person, device),
                    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE,
                    FOREIGN KEY (tenant, device) REFERENCES device (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX helloKeyByDevice ON helloKey (tenant, device)",
            ]),
        Migration(
            "renewal",
            [
                "ALTER TABLE primaryRefreshToken ADD COLUMN family TEXT",
                "ALTER TABLE primaryRefreshToken ADD COLUMN renewed BIGINT",
                "ALTER TABLE primaryRefreshToken ADD COLUMN confirmed BIGINT NOT NULL DEFAULT 1",
            ]),
        // Adds the device's name in device management.
        Migration(
            "management",
            [
                "ALTER TABLE device ADD COLUMN managedAs TEXT",
                "CREATE INDEX deviceByManagement ON device (tenant, managedAs)",
            ]),
        // The index finds a device by its key. It is used when a device joins again because it did not receive the
        // response.
        Migration("device-key", ["CREATE INDEX deviceByKey ON device (tenant, deviceKey)"]),
    ]
}
