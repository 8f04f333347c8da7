// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Hummingbird
package import Logging
package import MDMProtocol
package import Processes

/// The worker's home screen: a page on a loopback port, for a browser of the same user, and the program that serves it.
///
/// It is an app like any other. It gets its information about the device from `status.sock`, which every program of the
/// session can read, and about the worker from `MSAL`, as every app does.
package struct HomeScreen: Sendable {
    /// The values that a home screen is started with.
    package struct Start: Sendable {
        package let app: HomeApp
        /// The folder of the broker's sockets.
        package let runtimeDirectory: String
        /// The configuration that applies if the MDM has pushed none.
        package let configuration: HomeConfiguration
        /// The file with the configuration that the MDM pushed.
        package let pushed: String
        /// The tag of the device's language, such as `de_CH.UTF-8`. English is used for a language without texts.
        package let language: String
        /// The name that the screen shows for the device until the device has joined its directory.
        package let deviceName: String
        /// The environment of the programs that tiles open.
        package let environment: [String: String]

        package init(
            app: HomeApp, runtimeDirectory: String, configuration: HomeConfiguration, pushed: String,
            language: String, deviceName: String, environment: [String: String]
        ) {
            (self.app, self.runtimeDirectory, self.configuration) = (app, runtimeDirectory, configuration)
            (self.language, self.deviceName, self.environment) = (language, deviceName, environment)
            self.pushed = pushed
        }
    }

    /// Whether the page in a window is open.
    package let presence = PagePresence()
    private let start: Start
    private let controller: HomeController
    private let account: WorkerAccount
    private let routes: HomeRoutes
    private let server: HomeServer

    /// - Parameters:
    ///   - socket: the page's socket.
    ///   - isRenewed: whether this process has started anew after a session.
    ///   - forget: ends the window that shows the page, and then ends this process or discards its memory. Called when
    ///     a session is over, before any page learns of it.
    /// - Throws: ``TextsFailure`` for a fault in the texts, or the error of `MSAL` if it refuses the registration.
    package init(
        _ start: Start, on socket: LoopbackListener, isRenewed: Bool, forget: @escaping @Sendable () async -> Never,
        logger: Logger
    ) throws {
        (self.start, server) = (start, HomeServer(socket: socket, logger: logger))
        let contents = HomeContents(local: start.configuration, pushed: start.pushed, logger: logger)
        account = try WorkerAccount(start.app, socket: start.runtimeDirectory + "/broker.sock")
        controller = HomeController(
            account: account,
            programs: TilePrograms(environment: start.environment, device: start.runtimeDirectory),
            isRenewed: isRenewed, forget: forget, contents: contents, logger: logger)
        routes = HomeRoutes(
            controller: controller, page: HomePage(), texts: try HomeText.catalogue.get(),
            contents: contents, presence: presence, locale: start.locale, deviceName: start.deviceName)
    }

    /// Serves until the task is cancelled. Then ends the programs that were opened from tiles.
    ///
    /// - Parameter serving: called with the page's address as soon as it can be opened.
    /// - Throws: the error of `serving`, or the error that prevents the page from being served.
    package func run(serving: @escaping @Sendable (String) throws -> Void) async throws {
        account.whenChanged { [controller] in controller.post(.accountChanged) }
        let reader = StatusReader(
            socket: start.runtimeDirectory + "/status.sock",
            receive: { [controller] state in controller.receive(state) },
            lose: { [controller] in controller.post(.brokerLost) })
        do {
            try await withThrowingTaskGroup { group in
                group.addTask { [controller, server] in
                    try serving(server.address)
                    await controller.run()
                }
                group.addTask { try await reader.run() }
                group.addTask { [server, routes] in try await server.run(routes.router.buildResponder()) }
                try await group.next()
                group.cancelAll()
            }
        } catch {
            await controller.endPrograms()
            throw error
        }
        await controller.endPrograms()
    }
}
