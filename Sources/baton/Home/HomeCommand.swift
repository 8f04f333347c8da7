// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import BrokerProtocol
import BrowserWindows
import CommandLineInterface
import Files
import Foundation
import Glibc
import HomeScreen
import JSON
import Logging
import MDMProtocol
import OAuth
import UnixSocket

/// Shows the workers' home screen.
struct HomeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "home",
        abstract: "Show the workers' home screen: sign in, apps, hand over.",
        discussion: """
            Run it as the session's user in the graphical session. It opens a confined window of Chromium, and ends \
            when somebody closes it. See docs/home-screen.md for a kiosk that starts it by itself.
            """)

    @Option(name: .customLong("config"), help: "The configuration file (default: /etc/baton/home.json if it exists).")
    var file: String?
    @Option(
        name: .customLong("pushed-config"),
        help: """
            The file with the configuration that the MDM pushed, which takes precedence (default: home-screen.json beside \
            the file that BATON_MARKER names, else beside \(WellKnownPath.managedMarker)).
            """)
    var pushedFile: String?
    @Flag(help: "Fill the screen, without a border.") var fullScreen = false
    @Option(help: "The browser's program.") var browser = HomeWindow.chromium
    @Flag(help: "Open no window, and print the page's address. Only browsers of this user can open it.")
    var addressOnly = false
    @Flag(help: "Show no page, but print the bar of the kiosk session: a status command for swaybar.") var bar = false
    @Option(help: "The page's port on 127.0.0.1 (default: a free one).") var port = 0
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    private static let standardFile = "/etc/baton/home.json"

    func run() async throws { try await output.reporting { try await show() } }

    private func show() async throws {
        // After a session, the bar exits instead of starting anew in the same process.
        let renewal = bar ? nil : try HomeRenewal(port: port)
        unsafe setenv("BATON_SOCKET", device.folder + "/broker.sock", 1)
        let environment = ProcessInfo.processInfo.environment
        let marker = environment["BATON_MARKER"] ?? WellKnownPath.managedMarker
        let language = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
        var logger = Logger(label: "baton.home")
        logger.logLevel = .warning
        let start = HomeScreen.Start(
            app: HomeApp(clientID: HomeScreenApp.clientID, redirectURI: HomeScreenApp.redirectURI),
            runtimeDirectory: device.folder, configuration: try configuration(),
            pushed: pushedFile ?? WellKnownPath.homeScreen(beside: marker), language: language ?? "en",
            deviceName: ProcessInfo.processInfo.hostName, environment: environment)
        let show =
            if let renewal { try await makeScreen(start, after: renewal, logger) } else { try makeBar(start, logger) }
        let (end, signal) = await Signals.cancelling(asked: { renewal?.stop() }, show)
        // If a signal ended the command, an error of `show` is expected.
        if signal == nil { try end.get() }
    }

    private func makeBar(_ start: HomeScreen.Start, _ logger: Logger) throws -> @Sendable () async throws -> Void {
        let policies = InstalledPolicies()
        let bar = try HomeBar(start, forget: { Glibc.exit(0) }, logger: logger) { [browser] in
            await HomeWindow.obstacle(browser, policies)?.code
        }
        return { try await bar.run(showHome: KioskWindows.showHome) }
    }

    private func makeScreen(
        _ start: HomeScreen.Start, after renewal: HomeRenewal, _ logger: Logger
    ) async throws -> @Sendable () async throws -> Void {
        guard !addressOnly else {
            let screen = try HomeScreen(
                start, on: renewal.socket, isRenewed: renewal.isRenewed, forget: { renewal.startAnew() },
                logger: logger)
            return {
                try await screen.run { address in
                    guard !renewal.isRenewed else { return }
                    try OutputOptions.print([address])
                    try ServiceNotification.ready()
                }
            }
        }
        let window = try await HomeWindow(browser: browser, isFullScreen: fullScreen, findings: renewal.findings)
        let windows = HomeWindows(window, logger: logger)
        let forget: @Sendable () async -> Never = {
            await windows.endForHandover()
            renewal.startAnew(with: await window.findings)
        }
        let screen = try HomeScreen(
            start, on: renewal.socket, isRenewed: renewal.isRenewed, forget: forget, logger: logger)
        return { try await show(screen, in: windows, isRenewed: renewal.isRenewed) }
    }

    private func show(_ screen: HomeScreen, in windows: HomeWindows, isRenewed: Bool) async throws {
        try await withThrowingTaskGroup { group in
            let (addresses, opened) = AsyncStream.makeStream(of: String.self)
            group.addTask {
                try await screen.run {
                    opened.yield($0)
                    if !isRenewed { try ServiceNotification.ready() }
                }
            }
            group.addTask { for await address in addresses { return try await windows.show(address, screen.presence) } }
            // When one task ends, because the window is closed or the page is no longer served, the other task ends as
            // well.
            try await group.next()
            group.cancelAll()
        }
    }

    /// Reads the configuration file. Without `--config` and without a file at the standard path, returns the standard
    /// configuration.
    ///
    /// - Throws: ``CommandFailure`` if the given file is missing, or if the file is malformed.
    private func configuration() throws -> HomeConfiguration {
        let path = file ?? Self.standardFile
        do {
            guard let bytes = try AtomicFile(path: path).read(limit: 1 << 20) else {
                guard let file else { return .standard }
                throw CommandFailure(
                    code: "home_configuration_missing", message: "There is no \(file).", remedy: "Give another file.")
            }
            return try HomeConfiguration(json: bytes)
        } catch let failure as ConfigurationFailure {
            throw CommandFailure(
                code: "home_configuration", message: "\(path): \(failure.key) \(failure.cause).",
                remedy: failure.remedy)
        } catch let error as FileError {
            throw CommandFailure(
                code: "home_configuration_unreadable", message: "\(path) cannot be read (\(error)).",
                remedy: "Give the session's user read access to it.")
        }
    }
}
