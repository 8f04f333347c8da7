// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// Administers the server: over its local socket, which only the server's user and root may open, or over HTTPS.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Administer tenants, people, groups, roles, clients, devices, sessions, profiles and apps.",
        discussion:
            "Run it on the server's machine, as the server's user or root; set --server or BATON_SERVER to its state "
            + "folder. Or run it anywhere with --url or BATON_ADMIN_URL, and sign in.",
        subcommands: [
            TenantCommand.self, UserCommand.self, GroupCommand.self, RoleCommand.self, ClientCommand.self,
            SessionCommand.self, ManagedDeviceCommand.self, EnrollmentCommand.self, ProfileCommand.self,
            AppCommand.self, BrandingCommand.self, OfflineCommand.self, ReceiptAdminCommand.self, AuditCommand.self,
            StorageAdminCommand.self, BreakGlassCommand.self, SignInCommand.self, SignOutCommand.self,
            WhoAmICommand.self,
        ])
}
