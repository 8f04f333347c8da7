// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import Crypto
import Foundation
import OAuth
import Processes
import TestSupport
import Testing

/// The preparation of shared devices as a script, `Tests/ForeignClients/prepare_shared_devices.py`. The script runs as an
/// application on another machine does.
@Suite(.timeLimit(.minutes(5))) struct AdministrationPreparationTests {
    private static let udid = "0D0D0D0D-0000-4000-8000-000000000002"
    /// Maps the server's names to this machine, which has no resolver for them.
    private static let resolving = """
        import runpy, socket, sys
        resolve = socket.getaddrinfo
        def local(host, *rest, **options):
            return resolve("127.0.0.1" if host.endswith(".test") else host, *rest, **options)
        socket.getaddrinfo = local
        sys.argv = sys.argv[1:]
        runpy.run_path(sys.argv[0], run_name="__main__")
        """

    @Test func `a script prepares an organisation and its devices, and its second run changes nothing`() async throws {
        try await Scratch.with { scratch in
            let server = try await AdministeredServer(in: scratch)
            try await server.addDevice(id: "0d0d0d0d-0000-4000-8000-000000000001", udid: Self.udid)
            let package = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9) + [3, 0]
            try Data(package).write(to: URL(filePath: scratch.path("batond")))
            let app = MDMAdmin.NewApp(
                path: scratch.path("batond"), bundleIdentifier: "org.baton.authenticator", version: "0.1.0",
                title: "Baton Authenticator")
            try server.operate(
                MDMAdmin.addApp.operation, body: String(decoding: try JSONEncoder().encode(app), as: UTF8.self)
            ).expectSuccess()
            let first = try await run(server, in: scratch)
            #expect(first.code == 0, "\(first.text)")
            for line in [
                "added carol@contoso.test", "assigned Cloud Device Administrator", "set offline sign-in",
                "added org.baton.sso", "tablet-1: org.baton.authenticator", "tablet-1: org.baton.sso",
            ] {
                #expect(first.text.contains(line + "\n"), "\(line) is missing: \(first.text)")
            }
            let before = try state(server)
            let second = try await run(server, in: scratch)
            #expect(second.code == 0 && second.text.isEmpty, "\(second.text)")
            #expect(try state(server) == before)
            // What somebody has changed meanwhile is put right.
            try server.operate(
                IdentityAdmin.unassignRole.operation,
                ["role": "Cloud Device Administrator", "user": "carol@contoso.test"]
            ).expectSuccess()
            let third = try await run(server, in: scratch)
            #expect(third.text == "assigned Cloud Device Administrator\n", "\(third.text)")
        }
    }

    /// Runs the script with the application's key, and returns its exit code and output.
    private func run(_ server: AdministeredServer, in scratch: Scratch) async throws -> (code: Int32, text: String) {
        let keyFile = scratch.path("key.pem")
        let idFile = scratch.path("client")
        if !FileManager.default.fileExists(atPath: keyFile) {
            let key = P256.Signing.PrivateKey()
            let application = try server.addApplication(
                [
                    "User.ReadWrite.All", "RoleManagement.ReadWrite.Directory", "Organization.ReadWrite.All",
                    "DeviceManagementConfiguration.ReadWrite.All", "DeviceManagementApps.ReadWrite.All",
                    "DeviceManagementManagedDevices.Read.All",
                ], key: .p256(key))
            try scratch.write(key.pemRepresentation, to: "key.pem")
            try scratch.write(application.id, to: "client")
            let plan = """
                {"joiner": {"userPrincipalName": "carol@contoso.test", "displayName": "Carol",
                            "password": "\(AdministeredServer.password)"},
                 "signInURLs": ["https://login.test"], "profiles": [], "app": "org.baton.authenticator",
                 "offline": {"credentials": ["password"], "wallSeconds": 3600, "poweredSeconds": 3600, "boots": 2,
                             "attempts": 5},
                 "devices": ["tablet-1"]}
                """
            try scratch.write(plan, to: "plan.json")
        }
        let script = try await RunningProgram.start(
            ForeignClients.python,
            [
                "-c", Self.resolving, ForeignClients.script("prepare_shared_devices.py"), "--url", server.resource,
                "--ca", server.server.state + "/ca/root.pem", "--client-id", try textOfFile(idFile), "--key", keyFile,
                "--tenant", AdministeredServer.domain, scratch.path("plan.json"),
            ], environment: ["NO_PROXY": "*"], log: "script-\(UInt32.random(in: 0...UInt32.max)).log",
            awaitsReady: false, in: scratch)
        return (try await script.waitForExit(), try script.log())
    }

    /// What an administrator sees of the organisation: the audit logs, without the sign-ins of the application, and the
    /// objects.
    private func state(_ server: AdministeredServer) throws -> [String] {
        struct Line: Decodable {
            let position: Int64
            let action: String
        }
        let logs = try [IdentityAdmin.listAuditEntries.operation, MDMAdmin.listManagementAuditEntries.operation].map {
            let lines: [Line] = try server.operate($0, query: [("count", "10000")]).decoded()
            return "\(lines.filter { $0.action != "client.sign-in" }.map { "\($0.position) \($0.action)" })"
        }
        let objects = try [
            IdentityAdmin.listUsers.operation, IdentityAdmin.listRoles.operation, IdentityAdmin.listClients.operation,
            IdentityAdmin.listDevices.operation, IdentityAdmin.getOfflineSignIn.operation,
            IdentityAdmin.getBranding.operation, IdentityAdmin.listSigningKeys.operation,
            MDMAdmin.listProfiles.operation, MDMAdmin.listApps.operation, MDMAdmin.listManagedDevices.operation,
            MDMAdmin.listEnrollments.operation, MDMAdmin.listCommands.operation,
        ].map { try server.operate($0, ["device": Self.udid]).text }
        return logs + objects
    }
}
