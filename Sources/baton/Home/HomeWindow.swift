// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import BrowserWindows
import CommandLineInterface
import Foundation
import Glibc
import JSON
import Processes
import Synchronization
import UnixSocket

/// The window of the home screen: a confined Chromium that shows the home screen and nothing else.
///
/// The window leaves nothing behind. Its profile is in the memory of its confinement, and it reads its policies from a
/// descriptor. Both vanish with the window's last process. The window's processes end when this process ends, for
/// whatever reason.
final class HomeWindow: Sendable {
    /// What this program has found out about the machine and need not find out again when it starts anew.
    struct Findings: Codable {
        /// What is known about the installed browsers.
        let policies: [ExaminedPolicies]
        /// The address of the session's accessibility bus.
        let bus: String?
    }

    private let browser: String
    private let isFullScreen: Bool
    private let policies: InstalledPolicies
    /// The session's accessibility bus, as it was found for the latest window.
    private let bus: Mutex<AccessibilityBus?>
    /// The environment of the session.
    private let session: [String: String]
    /// A pair of connected sockets: each window reads from one of them, and only this process holds the other. When
    /// this process ends, for whatever reason, the windows read the end of the stream.
    private let life: (reader: FrameConnection, writer: FrameConnection)

    /// Debian's Chromium without the script `/usr/bin/chromium`, which only adds options from `/etc/chromium.d`.
    static let chromium = "/usr/lib/chromium/chromium"
    /// Where Chromium reads its policies.
    private static let policies = "/etc/chromium/policies/managed/baton.json"
    /// Runs a program until the stream ends, then ends everything in the sandbox. bubblewrap ends with its parent only
    /// once bubblewrap has started completely. Without this script, a window would survive if this process were killed
    /// before bubblewrap has started.
    private static let bound = """
        (read -r _ <&9; kill -KILL -1) &
        exec "$@" 9<&-
        """
    private static let memory = Confinement.Memory(home: 256 << 20, temporary: 64 << 20, shared: 256 << 20)

    /// - Parameter findings: what this program found out before it started anew. If given, the browser could be
    ///   confined at that time, and this is not tested again: a window that cannot be confined does not open.
    /// - Throws: ``CommandFailure`` if there is no screen or no browser, or if the browser cannot be confined. In that
    ///   case no window may open.
    init(browser: String, isFullScreen: Bool, findings: Findings?) async throws {
        session = ProcessInfo.processInfo.environment
        guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { [session] in session[$0]?.isEmpty == false }) else {
            throw CommandFailure(
                code: "no_screen", message: "There is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set.",
                remedy: "Run it in the graphical session, or with --address-only and a browser of your own.")
        }
        guard browser.hasPrefix("/"), unsafe access(browser, X_OK) == 0 else {
            throw CommandFailure(
                code: "no_browser", message: "\(browser) is not the path of a program.",
                remedy: "Install chromium, or name another Chromium with --browser.")
        }
        (self.browser, self.isFullScreen) = (browser, isFullScreen)
        policies = InstalledPolicies(findings?.policies ?? [])
        bus = Mutex(findings?.bus.flatMap(AccessibilityBus.init))
        life = try FrameConnection.pair(maximumFrame: 0)
        try await check(isConfinementKnown: findings != nil)
    }

    var findings: Findings {
        get async { Findings(policies: await policies.known, bus: bus.withLock(\.?.address)) }
    }

    /// - Throws: ``CommandFailure`` if something keeps a window from opening.
    func check(isConfinementKnown: Bool = false) async throws {
        guard let obstacle = await Self.obstacle(browser, policies, isConfinementKnown: isConfinementKnown) else {
            return
        }
        let code = obstacle is ConfinementFailure ? "home_not_confined" : obstacle.code
        throw CommandFailure(code: code, message: obstacle.cause, remedy: obstacle.remedy)
    }

    /// What keeps a window of this browser from opening; nil if nothing does.
    ///
    /// - Parameters:
    ///   - policies: what is known about the installed browsers.
    ///   - isConfinementKnown: whether the browser can be confined.
    static func obstacle(
        _ browser: String, _ policies: InstalledPolicies, isConfinementKnown: Bool = false
    ) async -> (any WindowFailure)? {
        await policies.obstacle(
            ChromiumPolicies.names.needed, in: .program(file: browser), isConfinementKnown: isConfinementKnown)
    }

    /// Opens a window. Blocks until its process has started.
    ///
    /// The window may open only one address. The address contains a random number that no person sees, so no second
    /// window can show the home screen. Programs of the same user can read the number in `/proc`.
    ///
    /// - Throws: ``ProcessFailure``, ``FileError``.
    func open(_ address: String) throws -> ChildProcess {
        let address = address + "?window=" + UUID().uuidString
        let bus = AccessibilityBus.find(in: session, former: bus.withLock(\.self))
        self.bus.withLock { $0 = bus }
        let confinement = confinement(address, bus)
        let command = [browser] + arguments(address, isReadable: bus != nil)
        let words = try confinement.words(for: ["/bin/sh", "-c", Self.bound, "sh"] + command)
        return try ChildProcess.spawnBound(
            executable: words[0], arguments: Array(words.dropFirst()), environment: environment,
            descriptors: try confinement.descriptors() + [(life.reader.descriptor, as: 9)], output: .discarded)
    }

    private func confinement(_ address: String, _ bus: AccessibilityBus?) -> Confinement {
        var confinement = Confinement(memory: Self.memory)
        SessionResources(session).add(to: &confinement)
        confinement.give(JSONWriter.write(ChromiumPolicies.home(address)), at: Self.policies)
        confinement.showIfThere("/etc/chromium.d")
        if let folder = VisibleSystemFiles.folder(of: browser) { confinement.show(folder) }
        bus?.add(to: &confinement)
        return confinement
    }

    private func arguments(_ address: String, isReadable: Bool) -> [String] {
        [
            "--app=\(address)", "--user-data-dir=\(Confinement.home)/profile", "--no-first-run",
            "--no-default-browser-check", "--password-store=basic", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-pinch",
            "--overscroll-history-navigation=0",
            // The page requests views all the time, even while it is behind an app's window.
            "--disable-renderer-backgrounding", "--disable-background-timer-throttling",
            "--disable-backgrounding-occluded-windows",
        ] + (isFullScreen ? ["--kiosk"] : ["--window-size=1100,800"])
            + (isReadable ? [AccessibilityBus.chromiumOption] : [])
            + (geteuid() == 0 ? ["--no-sandbox", "--test-type"] : [])
    }

    private var environment: [String: String] {
        var environment = WindowEnvironment.make(from: session)
        environment["MESA_SHADER_CACHE_DISABLE"] = "true"
        return environment
    }
}
