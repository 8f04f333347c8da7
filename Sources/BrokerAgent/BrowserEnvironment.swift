// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Files
internal import Glibc

/// The environment that a browser gets: its own folders, and of the session's variables only those that it needs to be
/// seen and to reach the network.
///
/// What else a session has (message buses, keyrings, key agents, the agent's own service manager) leads out of the
/// profile: to programs that are no descendants of the agent and to files that outlive the epoch.
enum BrowserEnvironment {
    /// Where the session shows windows, how it looks and speaks, and where programs and the proxy are.
    private static let allowed: Set<String> = [
        "DISPLAY", "XAUTHORITY", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS",
        "XCURSOR_THEME", "XCURSOR_SIZE", "GDK_BACKEND", "GDK_SCALE", "GDK_DPI_SCALE", "LANG", "LANGUAGE", "TZ", "PATH",
        "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
    ]

    /// The agent's own environment.
    static var session: [String: String] {
        var found: [String: String] = [:]
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            let parts = unsafe String(cString: entry).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { found[String(parts[0])] = String(parts[1]) }
            unsafe next += 1
        }
        return found
    }

    static func make(
        for profile: BrowserProfile, _ temporary: Directory, from session: [String: String]
    ) -> [String: String] {
        var environment = session.filter { allowed.contains($0.key) || $0.key.hasPrefix("LC_") }
        if environment["XAUTHORITY"] == nil, let home = session["HOME"] {
            // Xlib looks for it in the home, which is another one for the browser.
            environment["XAUTHORITY"] = home + "/.Xauthority"
        }
        environment["WAYLAND_DISPLAY"] = waylandSocket(session)
        environment["HOME"] = profile.home.path
        environment["TMPDIR"] = temporary.path
        environment["XDG_RUNTIME_DIR"] = temporary.path
        // Without an address a library would look for the session's bus, or start one that nobody ends.
        environment["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
        environment[BrowserProfile.markName] = profile.folder.path
        return environment
    }

    /// By its path, since the folder that a bare name stands in is another one for the browser.
    private static func waylandSocket(_ session: [String: String]) -> String? {
        guard let name = session["WAYLAND_DISPLAY"], !name.hasPrefix("/") else { return session["WAYLAND_DISPLAY"] }
        return session["XDG_RUNTIME_DIR"].map { $0 + "/" + name }
    }
}
