// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import FoundationEssentials

/// Administration over the server's local socket, which its own user and root may open.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin", abstract: "Administer tenants, people, roles, clients, devices, profiles and apps.",
        subcommands: [
            TenantCommand.self, UserCommand.self, RoleCommand.self, ClientCommand.self, ManagedDeviceCommand.self,
            ProfileCommand.self, AppCommand.self,
        ])
}

/// Which server and which tenant a command is about.
struct AdminOptions: ParsableArguments {
    @Option(help: "The server's state folder (default: BATON_SERVER, else /var/lib/baton-server).")
    var server: String?

    @Option(help: "The tenant's id or domain; - is the only one.")
    var tenant = "-"

    var client: AdminClient {
        let folder = server ?? ProcessInfo.processInfo.environment["BATON_SERVER"] ?? "/var/lib/baton-server"
        return AdminClient(socket: folder + "/admin.sock")
    }

    func path(_ path: IdentityAdmin.Path, _ places: [String: String] = [:]) -> String {
        path.filled(places.merging(["tenant": tenant]) { place, _ in place })
    }
}
