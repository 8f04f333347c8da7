// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import BrowserWindows
import Foundation
import Glibc
import JSON
import Processes
import UnixSocket

/// The window of the home screen: a confined Chromium that shows the home screen and nothing else.
///
/// It leaves nothing behind. Its profile is in its confinement's memory, and its policies are read from a descriptor.
/// Both vanish with its last process, and its processes end with this one, however it ends.
struct HomeWindow: Sendable {
    private let browser: String
    private let isFullScreen: Bool
    /// The environment of the session.
    private let session: [String: String]
    /// The end that each window reads from, and the end that this process alone has open. When this process ends,
    /// however it ends, the windows read the end of the stream.
    private let life: (reader: Connection, writer: Connection)

    /// Debian's Chromium without the script `/usr/bin/chromium`, which only adds options from `/etc/chromium.d`.
    static let chromium = "/usr/lib/chromium/chromium"
    /// Where Chromium reads its policies.
    private static let policies = "/etc/chromium/policies/managed/baton.json"
    /// Runs a program until the stream ends, then ends everything in the sandbox. bubblewrap ends with its parent only
    /// once it has started completely, so it alone would leave the window of a process that is killed meanwhile.
    private static let bound = """
        (read -r _ <&9; kill -KILL -1) &
        exec "$@" 9<&-
        """
    private static let memory = Confinement.Memory(home: 256 << 20, temporary: 64 << 20, shared: 256 << 20)

    /// - Throws: ``CommandFailure`` if there is no screen or no browser, or if the browser cannot be confined. In that
    ///   case no window may open.
    init(browser: String, isFullScreen: Bool, policies: InstalledPolicies) async throws {
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
        if let obstacle = await Self.obstacle(browser, policies) {
            let code = obstacle is ConfinementFailure ? "home_not_confined" : obstacle.code
            throw CommandFailure(code: code, message: obstacle.cause, remedy: obstacle.remedy)
        }
        self.browser = browser
        self.isFullScreen = isFullScreen
        life = try Connection.pair(maximumFrame: 0)
    }

    /// What keeps a window of this browser from opening; nil if nothing does.
    ///
    /// - Parameter policies: what is known about the installed browsers.
    static func obstacle(
        _ browser: String, _ policies: InstalledPolicies = InstalledPolicies()
    ) async -> (any WindowFailure)? {
        do {
            try await blocking { try Confinement.check() }
            try await policies.check(ChromiumPolicies.names.needed, in: .program(file: browser))
            return nil
        } catch { return error as? any WindowFailure }
    }

    /// Opens a window. Blocks until its process has started.
    ///
    /// - Throws: ``ProcessFailure``, ``FileError``.
    func open(_ address: String) throws -> ChildProcess {
        let bus = AccessibilityBus.find(in: session)
        let confinement = confinement(address, bus)
        let command = [browser] + arguments(address, isReadable: bus != nil)
        let words = confinement.words(for: ["/bin/sh", "-c", Self.bound, "sh"] + command)
        return try ChildProcess.spawnBound(
            executable: words[0], arguments: Array(words.dropFirst()), environment: environment,
            descriptors: try confinement.descriptors() + [(life.reader.descriptor, as: 9)], output: .discarded)
    }

    private func confinement(_ address: String, _ bus: AccessibilityBus?) -> Confinement {
        var confinement = Confinement(memory: Self.memory)
        SessionResources(session).add(to: &confinement)
        confinement.give(JSONWriter.write(ChromiumPolicies.home(address)), at: Self.policies)
        confinement.showIfThere("/etc/chromium.d")
        if let folder = SystemFiles.folder(of: browser) { confinement.show(folder) }
        bus?.add(to: &confinement)
        return confinement
    }

    private func arguments(_ address: String, isReadable: Bool) -> [String] {
        [
            "--app=\(address)", "--user-data-dir=\(Confinement.home)/profile", "--no-first-run",
            "--no-default-browser-check", "--password-store=basic", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-pinch",
            "--overscroll-history-navigation=0",
            // The page asks for views all the time, also behind an app's window.
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
