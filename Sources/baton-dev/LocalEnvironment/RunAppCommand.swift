// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandLineInterface
import FoundationEssentials
import Glibc
import Processes

/// Registers an app of the developer's own in a running environment, and runs it there.
struct RunAppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run-app",
        abstract: "Run an app of your own in the environment that make up or baton-dev up has started.",
        discussion: """
            The first run registers the app at the identity platform and on the device; it keeps its client id. The app gets \
            BATON_SOCKET and BATON_MARKER, which MSAL reads, and BATON_CLIENT_ID, BATON_REDIRECT_URI and BATON_AUTHORITY for \
            its MSALPublicClientApplicationConfig. Without a program, the command only registers the app.
            """)

    @Option(help: "The environment's folder (default: BATON_ENVIRONMENT, else .baton).") var directory: String?
    @Option(help: "The app's id, such as com.example.rounds; its redirect URI is msauth.<id>://auth.") var id: String
    @Option(help: "The client id in the app's code, a UUID (default: a new one at the first run).")
    var clientID: String?
    @Option(help: "A folder that holds data of a worker and nothing else; may be repeated (docs/app-identity.md).")
    var dataFolder: [String] = []
    @Flag(help: "Take back the app's folders of data.") var noDataFolder = false
    @Option(help: "The seconds to wait while another command registers an app.") var patience = 30
    @OptionGroup var output: OutputOptions
    @Argument(parsing: .captureForPassthrough, help: "The app's program and its arguments; they come last.")
    var program: [String] = []

    func validate() throws {
        guard dataFolder.isEmpty || !noDataFolder else {
            throw ValidationError("Give either --data-folder or --no-data-folder.")
        }
        guard (0...3600).contains(patience) else { throw ValidationError("Give from 0 to 3600 as --patience.") }
    }

    /// The folders to register; nil to leave them as they are.
    private var folders: [String]? {
        dataFolder.isEmpty && !noDataFolder ? nil : dataFolder.map { URL(filePath: $0).standardizedFileURL.path }
    }

    func run() async throws {
        try await output.reporting {
            let root = directory ?? ProcessInfo.processInfo.environment["BATON_ENVIRONMENT"] ?? ".baton"
            let layout = EnvironmentLayout(root: URL(filePath: root).path)
            // A `--` before the program is permitted, because many commands require it there.
            let words = program.first == "--" ? Array(program.dropFirst()) : program
            let path = try words.first.map(Self.executable)
            let app = try await OwnApps(layout).register(
                id, clientID: clientID, dataFolders: folders, program: path, patience: .seconds(patience))
            try output.print(app) { $0.lines }
            guard let path else { return }
            let sockets = [("BATON_SOCKET", layout.run + "/broker.sock"), ("BATON_MARKER", layout.managedMarker)]
            for (name, value) in sockets + app.variables { unsafe setenv(name, value, 1) }
            let failure = OwnProgram.become(path, arguments: Array(words.dropFirst()))
            throw CommandFailure(
                code: "app_not_started", message: "\(path) cannot be started (\(failure)).",
                remedy: "Build it for this machine; a script needs a first line such as #!/usr/bin/python3.")
        }
    }

    /// The path of a program. A name without a slash is searched for in `PATH`, as a shell does.
    private static func executable(_ program: String) throws -> String {
        let folders = program.contains("/") ? [""] : searched
        let paths = folders.map { URL(filePath: $0.isEmpty ? program : $0 + "/" + program).path }
        guard let path = paths.first(where: { unsafe access($0, X_OK) == 0 }) else {
            throw CommandFailure(
                code: "app_missing", message: "\(program) is not the path of a program, and no program in PATH.",
                remedy: "Build the app, and give the path of its program.")
        }
        return path
    }

    private static var searched: [String] {
        let value = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        return value.split(separator: ":").map(String.init)
    }
}
