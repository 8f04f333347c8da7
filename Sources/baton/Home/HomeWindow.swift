// SPDX-License-Identifier: Apache-2.0
import Files
import Foundation
import Glibc
import Processes

/// The window of the home screen: a Chromium window with its own profile. The profile is removed when the window
/// closes.
struct HomeWindow: Sendable {
    private let browser: String
    private let isFullScreen: Bool
    private let folder: Directory

    private static let prefix = "baton-home-"

    /// Makes the folder of the profile.
    ///
    /// - Throws: ``CommandFailure`` if there is no screen or no browser, ``FileError``.
    init(browser: String, isFullScreen: Bool) throws {
        let environment = ProcessInfo.processInfo.environment
        guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0]?.isEmpty == false }) else {
            throw CommandFailure(
                code: "no_screen", message: "There is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set.",
                remedy: "Run it in the graphical session, or with --address-only and a browser of your own.")
        }
        guard unsafe access(browser, X_OK) == 0 else {
            throw CommandFailure(
                code: "no_browser", message: "\(browser) is not a program.",
                remedy: "Install chromium, or name another Chromium with --browser.")
        }
        let place = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array((place + "/" + Self.prefix + "XXXXXX").utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw FileError(.makeDirectory, errno: errno, path: place)
        }
        self.browser = browser
        self.isFullScreen = isFullScreen
        folder = Directory(path: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// Opens the page and returns when the window is closed.
    ///
    /// - Throws: ``ProcessFailure``.
    func show(_ address: String) async throws {
        let process = try ChildProcess.spawnBound(
            executable: browser, arguments: arguments(address), environment: environment, output: .discarded)
        try await withTaskCancellationHandler {
            _ = try await blocking { try process.waitForExit() }
        } onCancel: {
            process.send(SIGTERM)
        }
    }

    /// Removes the profile.
    ///
    /// - Throws: ``FileError``.
    func remove() throws { try folder.removeTree() }

    private func arguments(_ address: String) -> [String] {
        [
            "--app=\(address)", "--user-data-dir=\(folder.path)/profile", "--incognito", "--no-first-run",
            "--no-default-browser-check", "--password-store=basic", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-pinch",
            "--overscroll-history-navigation=0",
        ] + (isFullScreen ? ["--kiosk"] : ["--window-size=1100,800"])
            + (geteuid() == 0 ? ["--no-sandbox", "--test-type"] : [])
    }

    /// The environment variables of the session, with home folders inside the window's own folder.
    private var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        if environment["XAUTHORITY"] == nil, let home = environment["HOME"] {
            environment["XAUTHORITY"] = home + "/.Xauthority"
        }
        environment["HOME"] = folder.path
        environment["TMPDIR"] = folder.path
        for name in ["CONFIG", "CACHE", "DATA", "STATE"] { environment["XDG_\(name)_HOME"] = nil }
        environment["MESA_SHADER_CACHE_DISABLE"] = "true"
        return environment
    }
}
