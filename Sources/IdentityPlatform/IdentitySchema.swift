// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The migrations of the identity database. Each feature keeps its steps in its own file, and each list may grow at its
/// end. A step may depend only on steps that come before it here.
package enum IdentitySchema {
    package static let migrations: [Migration] =
        DirectorySchema.migrations + SessionsSchema.migrations + AuditSchema.migrations + DevicesSchema.migrations
        + PasswordsSchema.migrations + ClientsSchema.migrations + DeviceRegistrationSchema.migrations
        + AuditSchema.origin + GroupsSchema.migrations + TokensSchema.migrations + ReceiptsSchema.migrations
        + OfflineSchema.migrations + BrowsersSchema.migrations + DirectorySchema.removal
}
