// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A screen in memory (Xvfb).
enum VirtualScreen {
    /// Starts a screen that any user may use.
    ///
    /// - Returns: the running program, and the value of `DISPLAY` for programs that show their windows on it.
    static func start(in scratch: Scratch) async throws -> (RunningProgram, display: String) {
        let screen = try await RunningProgram.start(
            "/usr/bin/Xvfb", ["-displayfd", "1", "-ac", "-nolisten", "tcp", "-screen", "0", "1400x1000x24"],
            log: "screen-\(UInt32.random(in: 0...UInt32.max)).log", awaitsReady: false, in: scratch)
        let log = screen.logPath
        try await FolderWatch(scratch.path).until("a screen") { try number(in: log) != nil }
        return (screen, ":" + (try number(in: log) ?? ""))
    }

    /// The screen's number, from the line that `Xvfb` prints; nil if there is no whole line yet.
    private static func number(in log: String) throws -> String? {
        try textOfFile(log).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .last { Int($0) != nil }.map(String.init)
    }
}
