// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface

/// Shows who administers the server with the present options.
struct WhoAmICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Show who is signed in for administration, and with which directory roles.")
    @OptionGroup var server: AdminServerOptions
    @OptionGroup var output: OutputOptions

    private struct Known: Encodable {
        let signedIn: SignedIn
        /// The names of the person's roles; nil if the administration does not reveal them to the person.
        let roles: [String]?
        /// The code with which the administration refused to name the roles.
        let refusal: String?
    }

    func validate() throws {
        guard server.clientID == nil else {
            throw ValidationError("whoami is for people. An application is what --client-id names.")
        }
    }

    func run() async throws {
        try await output.run({ try await known() }, lines: Self.lines)
    }

    private func known() async throws -> Known {
        let session = try server.session(tenant: "-", output)
        let presence = try await session.presence()
        let places = ["tenant": presence.person.tenantID, "user": presence.person.objectID]
        do {
            let user = try await AdminClient(session: session, isJSON: output.json).call(IdentityAdmin.getUser(places))
            return Known(signedIn: SignedIn(presence), roles: user.roles, refusal: nil)
        } catch let failure as CommandFailure where Self.withoutRole.contains(failure.code) {
            return Known(signedIn: SignedIn(presence), roles: nil, refusal: failure.code)
        }
    }

    /// The refusals of a person who has no role that may read people.
    private static let withoutRole = ["admin.role", "admin.permission"]

    private static func lines(_ known: Known) -> [String] {
        let roles = known.roles.map { $0.isEmpty ? "none" : $0.joined(separator: ", ") }
        let fields = [
            ("user name", known.signedIn.userName), ("name", known.signedIn.name ?? "-"),
            ("id", known.signedIn.objectID), ("tenant", known.signedIn.tenantID),
            ("roles", roles ?? "none that may read the directory"), ("kept in", known.signedIn.keptIn),
        ]
        return fields.map { $0.0 + String(repeating: " ", count: 11 - $0.0.count) + TextTable.printable($0.1) }
    }
}
