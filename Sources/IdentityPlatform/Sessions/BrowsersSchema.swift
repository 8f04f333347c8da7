// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum BrowsersSchema {
    /// Adds the columns for how a session began (in which browser, or with a device code), and the table of browsers
    /// that belong to a device.
    static let migrations = [
        Migration(
            "browsers",
            [
                "ALTER TABLE session ADD COLUMN browser BLOB",
                "ALTER TABLE session ADD COLUMN fromDeviceCode BIGINT NOT NULL DEFAULT 0",
                "CREATE INDEX sessionByBrowser ON session (browser)",
                """
                UPDATE session SET fromDeviceCode = 1
                WHERE EXISTS (SELECT 1 FROM deviceCode
                    WHERE deviceCode.tenant = session.tenant AND deviceCode.session = session.id)
                """,
                """
                CREATE TABLE deviceBrowser (
                    browser BLOB NOT NULL PRIMARY KEY, tenant TEXT NOT NULL, device TEXT NOT NULL,
                    sharedDevice BIGINT NOT NULL, epochCounter BIGINT, session TEXT NOT NULL, person TEXT NOT NULL,
                    noted BIGINT NOT NULL,
                    FOREIGN KEY (tenant, device) REFERENCES device (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX deviceBrowserByDevice ON deviceBrowser (tenant, device)",
                "CREATE INDEX deviceBrowserByTime ON deviceBrowser (tenant, noted)",
            ])
    ]
}
