// SPDX-License-Identifier: Apache-2.0
import Foundation
import Processes
import TestSupport
import Testing

/// A person who tries to get out of a window, and what they saw (`Tests/Person/escape.py`). The attempts and the
/// exceptions, each with its reason, are in `Tests/Person/escapes.json`.
enum Escapes {
    /// The kinds of windows that `escape.py` knows.
    enum Window: String { case signIn = "sign-in", home, workers, firefox }

    struct Report: Decodable {
        /// What was observed of the window's programs at the end.
        struct Observed: Decodable {
            /// The paths at which the downloaded file lies.
            let files: [String]
            /// The names of all programs.
            let processes: [String]
        }

        /// For each attempt, the titles of the windows that were new or whose title had changed.
        let attempts: [String: [String]]
        /// What appeared and is not among the exceptions: windows, files, ports, programs that are not confined, and
        /// folders to which the others could write.
        let escapes: [String]
        let observed: Observed
    }

    /// What a person tries.
    enum Extent {
        /// A sample of the attempts, and a few walks of random keys and clicks. The walks are the same in each run.
        case sample(walks: Int)
        /// Every attempt, and 200 random walks (`BATON_WALKS`), which differ in each run.
        case everything

        fileprivate var arguments: [String] {
            switch self {
            case .sample(let walks): ["--walks", "\(walks)", "--seed", "1"]
            case .everything:
                ["--all", "--walks", "\(Walks.count)", "--seed", "\(Walks.seed)"]
                    + (Escapes.only.map { ["--only", $0] } ?? [])
            }
        }
    }

    /// For a run by hand, a regular expression that selects attempts of ``Extent/everything`` or groups of them
    /// (`BATON_ESCAPES`); nil for all.
    static let only = ProcessInfo.processInfo.environment["BATON_ESCAPES"]

    /// Starts the person in a window of the device's agent.
    ///
    /// - Parameters:
    ///   - title: a regular expression for the window's title.
    ///   - others: further arguments of `escape.py`.
    static func start(
        _ extent: Extent, in window: Window, titled title: String, of live: LiveEnvironment, on display: String,
        _ others: [String] = []
    ) async throws -> RunningProgram {
        try await live.runAside(
            program: "/usr/bin/env",
            ["DISPLAY=" + display, "/usr/bin/python3", "-W", "ignore", Repository.root + "/Tests/Person/escape.py"]
                + arguments(extent, in: window, titled: title, process: live.pid(of: .agent)) + others)
    }

    /// The arguments of `escape.py` for a window of a process.
    static func arguments(_ extent: Extent, in window: Window, titled title: String, process: Int32) -> [String] {
        [window.rawValue, title, "\(process)"] + extent.arguments
    }

    /// Opens the worker's browser. On a busy machine, the agent may stop waiting before Firefox's extension is ready;
    /// Firefox then shows the page all the same.
    static func openWorkersBrowser(of live: LiveEnvironment) async throws {
        let run = try await Scratch.with { scratch in
            try await CommandRun(["browser", "--runtime-directory", live.path("run")], in: scratch)
        }
        #expect(run.code == 0 || run.errors.contains("[page_unconfirmed]"), "\(run.errors)")
    }

    /// The last arguments of `escape.py` for a worker's browser: how a browser that an attempt has closed is opened again.
    static func opening(of live: LiveEnvironment) throws -> [String] {
        [
            "--", try RunningProgram.built("baton"), "browser", "OUTSIDE", "--runtime-directory", live.path("run"),
        ]
    }

    static func report(of person: RunningProgram) async throws -> Report {
        let code = try await person.waitForExit()
        let said = try person.log()
        try #require(code == 0, "\(said)")
        let line = try #require(said.split(separator: "\n").last)
        return try JSONDecoder().decode(Report.self, from: Data(line.utf8))
    }
}
