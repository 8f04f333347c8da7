// SPDX-License-Identifier: Apache-2.0

/// Names what a browser needs from its graphical session: the display, sound, printing and devices.
package struct SessionResources: Sendable, Equatable {
    /// The session's environment.
    private let session: [String: String]

    package init(_ session: [String: String]) { self.session = session }

    /// What a window may use from the session, besides the display.
    package enum Use: Sendable { case sound, printing, capture }

    /// Adds the display, and whatever else the window may use, to the window's confinement.
    package func add(to confinement: inout Confinement, for uses: Set<Use> = []) {
        for path in displays { confinement.showIfThere(path) }
        for device in ["/dev/dri", "/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-modeset", "/dev/mali0"] {
            confinement.allow(device: device)
        }
        if uses.contains(.sound) {
            for name in ["pulse/native", "pipewire-0"] { runtime.map { confinement.showIfThere($0 + "/" + name) } }
            confinement.allow(device: "/dev/snd")
        }
        if uses.contains(.printing) { confinement.showIfThere("/run/cups/cups.sock") }
        if uses.contains(.capture) { for number in 0..<4 { confinement.allow(device: "/dev/video\(number)") } }
    }

    /// The sockets of the X server and of the Wayland compositor, and the X server's file of permissions.
    private var displays: [String] { [xServer, wayland, authority].compactMap(\.self) }

    private var runtime: String? { session["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } }

    /// The socket of the local X server that `DISPLAY` names (X(7)); nil if `DISPLAY` names no server, or a server on
    /// another machine.
    private var xServer: String? {
        guard let display = session["DISPLAY"], let colon = display.lastIndex(of: ":"),
            ["", "unix"].contains(String(display[..<colon]))
        else { return nil }
        let number = display[display.index(after: colon)...].prefix { $0.isASCII && $0.isNumber }
        return number.isEmpty ? nil : "/tmp/.X11-unix/X\(number)"
    }

    /// The path of the Wayland socket. A bare name refers to a file in the session's runtime folder.
    var wayland: String? {
        guard let name = session["WAYLAND_DISPLAY"], !name.isEmpty else { return nil }
        return name.hasPrefix("/") ? name : runtime.map { $0 + "/" + name }
    }

    /// The file with which a program proves to the X server that it may connect. Xlib looks for it in the home folder
    /// unless `XAUTHORITY` names another file, and the browser has a different home folder.
    var authority: String? { session["XAUTHORITY"] ?? session["HOME"].map { $0 + "/.Xauthority" } }
}
