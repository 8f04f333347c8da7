// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Processes
internal import UnixSocket

/// The session's accessibility bus (AT-SPI), on which a screen reader reads windows.
///
/// The bus is not filtered: a program that can reach it can read and operate the windows of other programs. It is
/// therefore used only for windows that show no web page, unless an administrator decides otherwise.
package struct AccessibilityBus: Sendable, Equatable {
    /// The option that makes Chromium describe its pages, and not only its windows, from the start.
    package static let chromiumOption = "--force-renderer-accessibility"

    /// An address of D-Bus ("Server Addresses" in its specification).
    package let address: String
    /// The path of the bus's socket; nil for an abstract socket, which needs no path.
    let socket: String?

    private static let client = "/usr/bin/dbus-send"
    /// Milliseconds that the session may take to start its accessibility bus.
    private static let patience = 3000

    /// Returns nil if the address is not that of a local socket.
    package init?(_ address: String) {
        let address = String(address.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        guard address.hasPrefix("unix:"), !address.contains("%") else { return nil }
        let first = address.dropFirst("unix:".count).prefix { $0 != ";" }
        let values = first.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1) }
        func value(_ key: String) -> String? { values.first { $0.count == 2 && $0[0] == key }.map { String($0[1]) } }
        guard let socket = value("path") else {
            guard value("abstract") != nil else { return nil }
            (self.address, self.socket) = (address, nil)
            return
        }
        guard socket.hasPrefix("/"), unsafe access(socket, F_OK) == 0 else { return nil }
        (self.address, self.socket) = (address, socket)
    }

    /// Asks the session for its bus. Blocks: the session may first have to start it.
    ///
    /// - Parameter former: the bus that was found before. If its socket still answers, the session is not asked.
    /// - Returns: nil if the session has no accessibility bus.
    package static func find(in session: [String: String], former: AccessibilityBus? = nil) -> AccessibilityBus? {
        if let known = session["AT_SPI_BUS_ADDRESS"], !known.isEmpty { return AccessibilityBus(known) }
        if let former, former.answers { return former }
        guard let sessionBus = sessionBus(of: session), unsafe access(client, X_OK) == 0 else { return nil }
        do {
            let answer = try MemoryFile()
            let status = try ChildProcess.spawnBound(
                executable: client,
                arguments: [
                    "--bus=\(sessionBus)", "--print-reply=literal", "--reply-timeout=\(patience)",
                    "--dest=org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress",
                ],
                environment: session,
                descriptors: [(answer.descriptor, as: STDOUT_FILENO)], output: .discarded
            ).waitForExit()
            guard status.isSuccess else { return nil }
            return AccessibilityBus(String(decoding: try answer.content(), as: UTF8.self))
        } catch { return nil }
    }

    /// Whether a program listens on the bus's socket. False for an abstract socket, because another program may use its
    /// name by now.
    private var answers: Bool {
        guard let socket else { return false }
        return (try? FrameConnection.connect(to: socket, maximumFrame: 0)) != nil
    }

    /// Lets a browser describe its windows on the bus.
    package func add(to confinement: inout Confinement) {
        if let socket { confinement.show(socket) }
        confinement.set("AT_SPI_BUS_ADDRESS", address)
        // Browsers ask the session's bus whether to describe their windows, and that bus is not visible inside. The first
        // variable is Chromium's, the second one Firefox's.
        for variable in ["ACCESSIBILITY_ENABLED", "GNOME_ACCESSIBILITY"] { confinement.set(variable, "1") }
    }

    private static func sessionBus(of session: [String: String]) -> String? {
        if let address = session["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
        // The place in every session of systemd (dbus-user-session).
        guard let path = session["XDG_RUNTIME_DIR"].map({ $0 + "/bus" }), unsafe access(path, F_OK) == 0 else {
            return nil
        }
        return "unix:path=\(path)"
    }
}
