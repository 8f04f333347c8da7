// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The identity database's history. Each feature keeps its steps in a file of its own, and each list may grow at its end;
/// a step may need only what stands before it here.
package enum IdentitySchema {
    package static let migrations: [Migration] =
        DirectorySchema.migrations + SessionsSchema.migrations + AuditSchema.migrations + DevicesSchema.migrations
        + PasswordsSchema.migrations + ClientsSchema.migrations + DeviceRegistrationSchema.migrations
        + AuditSchema.origin + GroupsSchema.migrations + TokensSchema.migrations + ReceiptsSchema.migrations
        + OfflineSchema.migrations + BrowsersSchema.migrations + DirectorySchema.removal
}
