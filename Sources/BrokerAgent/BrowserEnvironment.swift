// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Files
internal import Glibc

/// The environment of a browser: its own folders, and only those variables of the session that the browser needs to
/// show windows and to reach the network.
///
/// Other variables of a session (message buses, keyrings, key agents, the agent's own service manager) would let the
/// browser reach beyond its profile: to programs that are not descendants of the agent, and to files that outlive the
/// epoch.
enum BrowserEnvironment {
    /// The variables for windows, appearance, language, programs and the proxy.
    private static let allowed: Set<String> = [
        "DISPLAY", "XAUTHORITY", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS",
        "XCURSOR_THEME", "XCURSOR_SIZE", "GDK_BACKEND", "GDK_SCALE", "GDK_DPI_SCALE", "LANG", "LANGUAGE", "TZ", "PATH",
        "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
    ]

    /// Folders below the home folder, even if the session has set others (XDG Base Directory Specification).
    private static let folders = [
        "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share",
        "XDG_STATE_HOME": ".local/state",
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

    /// - Parameter number: the number of the process that gets this environment.
    static func make(
        for profile: BrowserProfile, _ temporary: Directory, number: Int, from session: [String: String]
    ) -> [String: String] {
        var environment = session.filter { allowed.contains($0.key) || $0.key.hasPrefix("LC_") }
        if environment["XAUTHORITY"] == nil, let home = session["HOME"] {
            // Xlib looks for the file in the home folder, and the browser has a different home folder.
            environment["XAUTHORITY"] = home + "/.Xauthority"
        }
        environment["WAYLAND_DISPLAY"] = waylandSocket(session)
        environment["HOME"] = profile.home.path
        for (name, folder) in folders { environment[name] = profile.home.path + "/" + folder }
        // With a GPU, Chromium would keep its cache of shaders outside the profile.
        environment["MESA_SHADER_CACHE_DISABLE"] = "true"
        environment["TMPDIR"] = temporary.path
        environment["XDG_RUNTIME_DIR"] = temporary.path
        // Without an address, a library would look for the session's bus, or start a bus that nothing ends.
        environment["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
        environment[BrowserProfile.markName] = profile.folder.path
        environment[BrowserProfile.numberName] = String(number)
        return environment
    }

    /// The path of the Wayland socket. The browser could not resolve a bare name, because the browser has a different
    /// runtime folder.
    private static func waylandSocket(_ session: [String: String]) -> String? {
        guard let name = session["WAYLAND_DISPLAY"], !name.hasPrefix("/") else { return session["WAYLAND_DISPLAY"] }
        return session["XDG_RUNTIME_DIR"].map { $0 + "/" + name }
    }
}
