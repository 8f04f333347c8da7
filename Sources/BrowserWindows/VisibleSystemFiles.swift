// SPDX-License-Identifier: Apache-2.0
package import Files
internal import Glibc

/// The parts of the system that every confined browser sees, read-only: programs, libraries, fonts, certificates and the
/// settings of libraries that browsers use. Nothing below them belongs to a person or to Baton, and nothing was put there by
/// hand: `/opt` and most of `/usr/local` are not shown.
package enum VisibleSystemFiles {
    /// Whether the path is in a part that every confined browser sees.
    package static func contain(_ path: String) -> Bool {
        func isBelow(_ folders: [String]) -> Bool { folders.contains { path.hasPrefix($0 + "/") } }
        return isBelow(local) || isBelow(programs) && !isBelow(emptied)
    }

    /// Returns the folder that must be shown to a browser that runs `program`; nil if every browser sees the program
    /// anyway.
    package static func folder(of program: String) -> String? {
        guard !contain(program), let end = program.lastIndex(of: "/"), end > program.startIndex else { return nil }
        return String(program[..<end])
    }

    /// Returns bubblewrap's arguments.
    ///
    /// - Throws: ``FileError`` if it cannot be determined what must be withheld.
    static func words() throws(FileError) -> [String] {
        programs.flatMap(words(for:)) + emptied.filter(isReadable).flatMap { ["--tmpfs", $0] }
            + local.flatMap(shown) + (try withheld()) + settings.flatMap { words(for: "/etc/" + $0) }
            + others.filter(isReadable).flatMap { ["--ro-bind-try", $0, $0] }
    }

    /// bubblewrap's last arguments, after which nothing more is shown.
    static var lastWords: [String] { emptied.filter(isReadable).flatMap { ["--remount-ro", $0] } }

    /// Whether this user may read the path. bubblewrap ends if it finds a path that it may not show.
    static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

    private static let programs = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]

    /// Folders of `/usr` that do not belong to the system, and the parts of them that browsers need: fonts, and the
    /// certificates to which the system's own list links.
    private static let emptied = ["/usr/local", "/usr/src"]
    private static let local = ["/usr/local/share/fonts", "/usr/local/share/ca-certificates"]

    /// Programs that start other programs for a page (a mail program, another browser, a terminal), and the
    /// descriptions from which they choose. The programs that they start would also be confined, but would follow no
    /// policy.
    private static let starters = [
        "/usr/bin/xdg-open", "/usr/bin/xdg-email", "/usr/bin/gio", "/usr/bin/gtk-launch", "/usr/bin/dbus-launch",
        "/usr/bin/exo-open", "/usr/bin/kde-open5", "/usr/bin/gio-launch-desktop", "/usr/bin/sensible-browser",
    ]
    private static let descriptions = ["/usr/share/applications", "/usr/share/dbus-1/services"]

    /// Modules that a browser must not use. With any of them except the last, a person could use the system's print
    /// dialog to print into any file that the browser can write. The last module starts programs. Debian has a folder
    /// of modules for each machine type ("Multiarch" in its policy), and several types may be installed.
    private static let modules =
        ["gtk-2.0/2.10.0", "gtk-3.0/3.0.0", "gtk-4.0/4.0.0"].map { $0 + "/printbackends/libprintbackend-file.so" }
        + ["glib-2.0/gio-launch-desktop"]

    /// The modules of each machine type in the folder of libraries.
    ///
    /// - Throws: ``FileError`` if the folder cannot be listed.
    package static func modules(in libraries: String) throws(FileError) -> [String] {
        let machines = try Directory(path: libraries).names().filter { $0.contains("-linux-") }
        return machines.flatMap { machine in modules.map { "\(libraries)/\(machine)/\($0)" } }
    }

    /// Hides the starters and the modules behind an empty file, and the descriptions behind an empty folder.
    private static func withheld() throws(FileError) -> [String] {
        (starters + (try modules(in: "/usr/lib"))).filter(isReadable).flatMap { ["--ro-bind", "/dev/null", $0] }
            + descriptions.filter(isReadable).flatMap { ["--tmpfs", $0, "--remount-ro", $0] }
    }

    private static let others = [
        "/sys/bus", "/sys/class", "/sys/dev", "/sys/devices", "/var/cache/fontconfig",
    ]

    /// Names in `/etc`.
    private static let settings = [
        // Libraries, languages and times.
        "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "locale.conf", "localtime",
        "os-release", "debian_version", "timezone",
        // Names of users, hosts and services.
        "gai.conf", "group", "host.conf", "hostname", "hosts", "nsswitch.conf", "passwd", "protocols", "resolv.conf",
        "services",
        // Certificates and TLS.
        "ca-certificates", "ca-certificates.conf", "crypto-policies", "gnutls", "krb5.conf", "krb5.conf.d", "pkcs11",
        "pki", "ssl",
        // Windows, fonts, graphics and sound.
        "X11", "alsa", "asound.conf", "drirc", "fonts", "glvnd", "gtk-3.0", "gtk-4.0", "libva.conf", "openal",
        "pipewire", "pulse", "vdpau_wrapper.cfg", "vulkan",
        // File types, printing.
        "cups", "mime.types", "papersize",
        // Preferences that Debian ships with Firefox.
        "firefox-esr",
    ]

    /// Shows a path as it is. A link within the parts that are shown stays a link, because some programs read where it
    /// leads (`/etc/localtime`); any other link is replaced by the file that it leads to.
    private static func words(for path: String) -> [String] {
        guard let target = (try? SymbolicLink.target(of: path)) ?? nil else { return shown(path) }
        let link = String(decoding: target, as: UTF8.self)
        let isShown = link.hasPrefix("usr/") || link.hasPrefix("/usr/") || link.hasPrefix("../usr/")
        return isShown ? ["--symlink", link, path] : shown(path)
    }

    private static func shown(_ path: String) -> [String] {
        isReadable(path) ? ["--ro-bind-try", path, path] : []
    }
}
