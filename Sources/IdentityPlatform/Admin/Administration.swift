// SPDX-License-Identifier: Apache-2.0

/// The administrative acts on an identity platform, grouped by the object they change. Each act is one transaction,
/// which also writes the audit entry. Every interface for administrators uses these acts.
package struct Administration: Sendable {
    package let tenants: TenantAdministration
    package let users: UserAdministration
    package let groups: GroupAdministration
    package let clients: ClientAdministration
    package let devices: DeviceAdministration
    package let breakGlass: BreakGlassAdministration
    /// Transactions of the same actor, for readings that the audit log records.
    let transactions: AdminTransactions

    /// - Parameter management: the tenants' device management; nil if the server does not manage devices.
    package init(
        _ platform: Platform, as actor: AdminActor = .localOperator, beside management: TenantNeighbour? = nil
    ) {
        transactions = AdminTransactions(platform, as: actor)
        tenants = TenantAdministration(
            transactions: transactions, keys: platform.keys, rotation: KeyRotation(platform), management: management)
        users = UserAdministration(
            transactions: transactions, passwords: platform.passwords, newPasswords: platform.newPasswords)
        groups = GroupAdministration(transactions: transactions)
        clients = ClientAdministration(
            transactions: transactions, resources: platform.resources, names: platform.configuration.names)
        devices = DeviceAdministration(transactions: transactions)
        breakGlass = BreakGlassAdministration(transactions: transactions)
    }
}
