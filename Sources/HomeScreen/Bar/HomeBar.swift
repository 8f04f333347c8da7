// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import JSON
package import Logging
internal import MDMProtocol
internal import Processes
internal import Synchronization
internal import WebPages

/// The bar of the kiosk session, for `swaybar`. While any app is open, the bar shows who is signed in, the time, and
/// the button Hand over. If no window can open, the bar says so, because the home screen cannot.
///
/// It gets its information from the broker, so it works without the home screen. When a session has ended, the bar's
/// process ends, and `baton-kiosk-bar` starts `swaybar` anew, so that nothing in memory names the last worker.
package final class HomeBar: Sendable {
    private let controller: HomeController
    private let account: WorkerAccount
    private let reader: StatusReader
    private let texts: Texts<HomeText>
    private let language: Language
    /// Returns a stable code for what keeps the home window from opening in this session; nil if nothing does.
    private let examine: @Sendable () async -> String?
    private let obstacle = Mutex<String?>(nil)

    /// How often the session is examined. After a repair, the bar may keep showing the obstacle for this long.
    private static let interval = Duration.seconds(60)

    /// - Parameters:
    ///   - forget: ends this process, once a session has ended.
    ///   - examine: returns a stable code for what keeps the home window from opening; nil if nothing does.
    /// - Throws: ``TextsFailure`` for a fault in the texts, or the error of `MSAL` if it refuses the registration.
    package init(
        _ start: HomeScreen.Start, forget: @escaping @Sendable () async -> Never, logger: Logger,
        examine: @escaping @Sendable () async -> String?
    ) throws {
        self.examine = examine
        account = try WorkerAccount(start.app, socket: start.runtimeDirectory + "/broker.sock")
        let contents = HomeContents(local: start.configuration, pushed: start.pushed, logger: logger)
        let controller = HomeController(
            account: account, programs: nil, forget: forget, contents: contents, logger: logger)
        self.controller = controller
        reader = StatusReader(
            socket: start.runtimeDirectory + "/status.sock",
            receive: { controller.receive($0) }, lose: { controller.post(.brokerLost) })
        (texts, language) = (try HomeText.catalogue.get(), start.locale.language)
    }

    /// Writes the bar's lines to standard output and reads the bar's touches from standard input, until the input ends
    /// or the task is cancelled.
    ///
    /// - Parameter showHome: brings the home screen to the front; called after each touch on a button.
    /// - Throws: the error of the output.
    package func run(showHome: @escaping @Sendable () -> Void) async throws {
        account.whenChanged { [controller] in controller.post(.accountChanged) }
        try await withThrowingTaskGroup { group in
            group.addTask { [controller] in await controller.run() }
            group.addTask { [reader] in try await reader.run() }
            group.addTask { try await self.write() }
            group.addTask { try await self.keepExamining() }
            // The thread that reads cannot be cancelled. It ends with the process.
            let (end, ended) = AsyncStream.makeStream(of: Never.self)
            try BlockingThread.start {
                self.read(showHome)
                ended.finish()
            }
            group.addTask { for await _ in end {} }
            try await group.next()
            group.cancelAll()
        }
    }

    private func keepExamining() async throws {
        while !Task.isCancelled {
            let found = await examine()
            let isNew = obstacle.withLock { known in
                defer { known = found }
                return known != found
            }
            if isNew { controller.changes.advance() }
            try await Task.sleep(for: Self.interval)
        }
    }

    private func write() async throws {
        try Self.output("{\"version\":1,\"click_events\":true}\n[")
        var last: [BarBlock] = []
        while !Task.isCancelled {
            let (model, content, change) = await controller.current()
            let composer = HomeViewComposer(
                texts: texts, language: language, configuration: content.configuration, isLogoUnreadable: false,
                tiles: [], icons: [])
            let (clock, rest) = Self.clock
            let obstacle = (obstacle.withLock { $0 } ?? model.obstacle).map {
                "\(texts.text(.noAgent, in: language)) (\($0))"
            }
            let blocks = BarBlock.blocks(
                of: composer.view(of: model), clock: clock, obstacle: obstacle,
                home: texts.text(.pageTitle, in: language),
                accent: content.configuration.colour ?? AccentColour.standard)
            if blocks != last {
                try Self.output(String(decoding: try JSONWriter.encode(blocks), as: UTF8.self) + ",\n")
                last = blocks
            }
            await withTaskGroup { [controller] group in
                group.addTask { await controller.changes.beyond(change) }
                group.addTask { try? await Task.sleep(for: rest) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    /// Reads touches until the end of the input, which means that `swaybar` has ended.
    private func read(_ showHome: () -> Void) {
        var input = BarInput()
        while case let bytes = FileHandle.standardInput.availableData, !bytes.isEmpty {
            for touch in input.touches(in: bytes) {
                if touch == .handover { controller.post(.handoverTouched) }
                showHome()
            }
        }
    }

    private static func output(_ text: String) throws {
        try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }

    /// The time of day as text, and the time until that text changes.
    private static var clock: (text: String, rest: Duration) {
        let now = Calendar(identifier: .gregorian).dateComponents([.hour, .minute, .second], from: Date())
        let two = { (number: Int?) in number.map { $0 < 10 ? "0\($0)" : "\($0)" } ?? "" }
        return ("\(two(now.hour)):\(two(now.minute))", .seconds(60 - (now.second ?? 0)))
    }
}
