// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import FoundationEssentials
import JSON

/// Apps that the MDM hands out.
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "List and add app packages; push and configure them on devices.",
        subcommands: [List.self, Add.self, Push.self])

    struct List: AsyncParsableCommand {
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call("GET", admin.path(.apps)) as [MDMAdmin.App]
                },
                lines: { apps in
                    Table.lines(
                        ["BUNDLE ID", "VERSION", "NAME", "SHA-256"],
                        apps.map {
                            [$0.bundleIdentifier, $0.version, $0.title, $0.sha256]
                        })
                })
        }
    }

    struct Add: AsyncParsableCommand {
        @Argument(help: "The package file, on the server's machine.") var path: String
        @Option var bundleID: String
        @Option var version: String
        @Option var title: String
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let app = MDMAdmin.NewApp(
                path: URL(filePath: path).path, bundleIdentifier: bundleID, version: version, title: title)
            try await output.run(
                {
                    try await admin.client.call("POST", admin.path(.apps), body: app) as MDMAdmin.App
                }, lines: { ["\($0.bundleIdentifier) \($0.version) is there, SHA-256 \($0.sha256)."] })
        }
    }

    struct Push: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Install an app on a device, with its configuration.")
        @Argument(help: "The bundle id.") var bundleID: String
        @Option(help: "The device's UDID or name.") var device: String
        @Option(help: "The app's configuration, a JSON object.") var configuration: String?
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call(
                        "PUT", admin.path(.deviceApp, ["device": device, "app": bundleID]),
                        body: MDMAdmin.PushedApp(configuration: try parsed())) as MDMAdmin.Command
                }, lines: { [$0.line] })
        }

        private func parsed() throws -> MDMAdmin.Configuration? {
            guard let configuration else { return nil }
            do {
                return try JSONReader.read(
                    MDMAdmin.Configuration.self, from: Array(configuration.utf8), limits: JSONLimits(bytes: 64 << 10))
            } catch {
                throw CommandFailure(
                    code: "configuration_malformed", message: "The configuration is no JSON object.",
                    remedy: #"Write it like {"sharedDeviceMode":true}."#)
            }
        }
    }
}
