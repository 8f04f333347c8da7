// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// An error that prevents the server from starting or makes it stop: a stable code, the cause, and the remedy.
struct ServerError: Error, Sendable {
    enum Code: String, Sendable {
        case configurationUnreadable = "server.configuration.unreadable"
        case configurationMalformed = "server.configuration.malformed"
        case directoryUnusable = "server.directory.unusable"
        case directoryInUse = "server.directory.in-use"
        case restoreUnfinished = "server.restore.unfinished"
        case fileUnusable = "server.file.unusable"
        case databaseNewer = "server.database.newer"
        case databaseUnknown = "server.database.unknown"
        case databaseUnusable = "server.database.unusable"
        case authorityUnusable = "server.authority.unusable"
        case clockWrong = "server.clock.wrong"
        case stopped = "server.stopped"
    }

    let code: Code
    let message: String
    let remedy: String

    init(_ code: Code, _ message: String, remedy: String) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    var isConfiguration: Bool { code == .configurationUnreadable || code == .configurationMalformed }

    func print() {
        let text = "baton-server: \(message) [\(code.rawValue)]\n  \(remedy)\n"
        _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
    }
}
