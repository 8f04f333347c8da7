// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import FoundationEssentials
import JSON

/// Manages the apps that the MDM distributes.
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "List and add app packages; push and configure them on devices.",
        subcommands: [List.self, Add.self, Push.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the app packages.")
        @OptionGroup var names: NamePrefix
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(
                MDMAdmin.listApps(query: names.query), ["BUNDLE ID", "VERSION", "NAME", "ADDED", "SHA-256"]
            ) { app in
                [app.bundleIdentifier, app.version, app.title, TextTable.time(app.addedAt), app.sha256]
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add an app package for pushing.")
        @Argument(help: "The package: a program for Linux (ELF), on the server's machine.") var path: String
        @Option(help: "The app's bundle id, such as org.baton.authenticator.") var bundleID: String
        @Option(help: "The package's version.") var version: String
        @Option(help: "The app's display name.") var title: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let app = MDMAdmin.NewApp(
                path: URL(filePath: path).path, bundleIdentifier: bundleID, version: version, title: title)
            try await admin.show(MDMAdmin.addApp(body: app)) { app in
                ["\(app.bundleIdentifier) \(app.version) was added, SHA-256 \(app.sha256)."]
            }
        }
    }

    struct Push: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Install an app on a device, with its configuration.")
        @Argument(help: "The app: its bundle id, or a title that only one app has.") var app: String
        @Option(help: .device) var device: String
        @Option(help: "The package's version (default: the one added last).") var version: String?
        @Option(help: "The app's configuration, a JSON object.") var configuration: String?
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.output.run(
                {
                    let body = MDMAdmin.PushedApp(version: version, configuration: try parsed())
                    return try await admin.call(
                        MDMAdmin.installApp(["device": device, "app": app], body: body))
                }, lines: { (command: MDMAdmin.Command) in [command.line] })
        }

        private func parsed() throws -> MDMAdmin.Configuration? {
            guard let configuration else { return nil }
            do {
                return try JSONReader.read(
                    MDMAdmin.Configuration.self, from: Array(configuration.utf8), limits: JSONLimits(bytes: 64 << 10))
            } catch {
                throw CommandFailure(
                    code: "configuration_malformed",
                    message: "The configuration \(configuration.prefix(40)) is not a JSON object.",
                    remedy: #"Write it like {"sharedDeviceMode":true}."#)
            }
        }
    }
}
