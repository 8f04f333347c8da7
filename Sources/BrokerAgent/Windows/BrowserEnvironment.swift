// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserWindows
internal import Files
internal import Glibc

/// The environment of a browser that the agent neither confines nor configures. It is a ``WindowEnvironment`` that
/// names folders of the profile, so that the browser writes to no file that outlives the epoch.
enum BrowserEnvironment {
    /// The variables that name the browser's folders, with paths below its home folder. They replace the session's
    /// values (XDG Base Directory Specification).
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
        var environment = WindowEnvironment.make(from: session)
        environment["HOME"] = profile.home.path
        for (name, folder) in folders { environment[name] = profile.home.path + "/" + folder }
        // With a GPU, Chromium would keep its cache of shaders outside the profile.
        environment["MESA_SHADER_CACHE_DISABLE"] = "true"
        environment["TMPDIR"] = temporary.path
        environment["XDG_RUNTIME_DIR"] = temporary.path
        environment[BrowserProfile.markName] = profile.folder.path
        environment[BrowserProfile.numberName] = String(number)
        return environment
    }
}
