// SPDX-License-Identifier: Apache-2.0

/// The environment of a confined browser: its own folders, and only those variables of the session that the browser
/// needs to show windows and to reach the network.
///
/// Other variables of a session (message buses, keyrings, key agents, the agent's own service manager) name programs
/// that a window must not use.
package enum WindowEnvironment {
    /// The variables for windows, appearance, language, programs and the proxy.
    private static let allowed: Set<String> = [
        "DISPLAY", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "XCURSOR_THEME",
        "XCURSOR_SIZE", "GDK_BACKEND", "GDK_SCALE", "GDK_DPI_SCALE", "LANG", "LANGUAGE", "TZ", "PATH",
        "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
    ]

    /// Returns the variables for a browser in this session.
    package static func make(from session: [String: String]) -> [String: String] {
        let resources = SessionResources(session)
        var environment = session.filter { allowed.contains($0.key) || $0.key.hasPrefix("LC_") }
        environment["XAUTHORITY"] = resources.authority
        environment["WAYLAND_DISPLAY"] = resources.wayland
        environment["HOME"] = Confinement.home
        environment["TMPDIR"] = Confinement.temporary
        environment["XDG_RUNTIME_DIR"] = Confinement.runtime
        // Without an address, a library would look for the session's bus, or start a bus that nothing ends.
        environment["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
        // The crash reporter has a window of its own, keeps a copy of the browser's memory and sends it.
        environment["MOZ_CRASHREPORTER_DISABLE"] = "1"
        return environment
    }
}
