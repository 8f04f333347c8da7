// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
package import Storage

/// The migrations of the identity database. Each feature keeps its migrations in its own file and adds new ones at the
/// end of its list. A migration may depend only on those that come before it in the list below.
package enum IdentitySchema {
    package static let migrations: [Migration] =
        DirectorySchema.migrations + SessionsSchema.migrations + AuditSchema.migrations + DevicesSchema.migrations
        + PasswordsSchema.migrations + ClientsSchema.migrations + DeviceRegistrationSchema.migrations
        + AuditSchema.origin + GroupsSchema.migrations + TokensSchema.migrations + ReceiptsSchema.migrations
        + OfflineSchema.migrations + BrowsersSchema.migrations + DirectorySchema.removal
        + BrandingSchema.migrations + NoncesSchema.migrations + HousekeepingSchema.migrations
        + DevicesSchema.ahead + AuditSchema.clientAddress + ErasureSchema.migrations + BreakGlassSchema.migrations
        + DevicesSchema.names + ClientsSchema.applications + AuditSchema.interface
        + IdempotencyKeys.migrations + GroupsSchema.devices
}
