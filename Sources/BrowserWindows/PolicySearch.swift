// SPDX-License-Identifier: Apache-2.0
internal import Glibc
package import Processes
internal import UnixSocket

/// Where an installed browser keeps the names of the policies that it knows.
package enum PolicyPlace: Sendable, Hashable, Codable {
    /// Chromium's program, in which each name is a C string or the end of another C string.
    case program(file: String)
    /// The uncompressed archive that contains the schema of Firefox's policies.
    case schema(file: String)

    /// The schema of Debian's Firefox ESR.
    package static let firefox = PolicyPlace.schema(file: "/usr/lib/firefox-esr/browser/omni.ja")

    package var file: String {
        switch self {
        case .program(let file), .schema(let file): file
        }
    }

    /// grep's arguments. With `-o`, it prints what matches, separated by NUL or by line ends.
    fileprivate func words(for names: Set<String>) -> [String] {
        let choice = "(" + names.sorted().joined(separator: "|") + ")"
        return switch self {
        case .program: ["-azoE", choice + "$", "--", file]
        case .schema: ["-aoE", #"""# + choice + #"": \{"#, "--", file]
        }
    }
}

/// A running search of an installed browser's files for the names of policies.
package struct PolicySearch: Sendable {
    /// What the search has found.
    package enum Finding: Sendable, Equatable, Codable {
        case known(names: Set<String>)
        /// The search could not determine which policies the browser knows: the file cannot be read, or it contains
        /// none of the names because the browser is packaged differently.
        case unknown
    }

    /// The program that searches. It must be reaped with ``finish()``.
    package let process: ChildProcess
    private let names: Set<String>
    private let output: MemoryFile

    private static let program = "/usr/bin/grep"
    /// Milliseconds that the search may take. It reads some hundred megabytes.
    private static let patience: Int32 = 30_000
    private static let limit = 1 << 20

    /// - Parameter names: ASCII letters and digits only.
    /// - Throws: ``ProcessFailure``, ``FileError``
    package init(for names: Set<String>, in place: PolicyPlace) throws {
        (self.names, output) = (names, try MemoryFile())
        process = try ChildProcess.spawn(
            executable: Self.program, arguments: place.words(for: names), environment: ["LC_ALL": "C"],
            descriptors: [(output.descriptor, as: STDOUT_FILENO)], output: .discarded)
    }

    /// Waits for the end of the search; blocks. It may be called more than once, even from another thread.
    ///
    /// - Returns: nil if the search was interrupted, or took too long.
    package func finish() -> Finding? {
        if !process.pidfd.isReadable(within: Self.patience) { process.kill() }
        guard case .exited(let code)? = try? process.waitForExit() else { return nil }
        guard code == 0, let found = try? output.content(limit: Self.limit) else { return .unknown }
        let words = found.split { !Self.isPart($0) }.map { String(decoding: $0, as: UTF8.self) }
        let known = names.intersection(words)
        return known.isEmpty ? .unknown : .known(names: known)
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }
}

/// Identifies the content of a file, so that a change is noticed without reading the file.
package struct FileStamp: Sendable, Hashable, Codable {
    private let numbers: [Int64]

    /// Returns nil if there is no such file, or if this user may not see it.
    package init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        numbers = [
            Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)), Int64(status.st_size),
            Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
        ]
    }
}

/// What a search of a browser's files has found. It contains nothing about a worker.
package struct ExaminedPolicies: Sendable, Codable {
    package let place: PolicyPlace
    /// Identifies the content that was read; nil if there was no such file.
    let stamp: FileStamp?
    /// The names that were searched for.
    let names: Set<String>
    package let finding: PolicySearch.Finding

    /// - Parameter stamp: identifies the content of the file when the search began.
    package init(_ finding: PolicySearch.Finding, of names: Set<String>, in place: PolicyPlace, _ stamp: FileStamp?) {
        (self.finding, self.names, self.place, self.stamp) = (finding, names, place, stamp)
    }

    /// Whether a new search for these names would find the same.
    package func answers(_ names: Set<String>) -> Bool {
        stamp == FileStamp(of: place.file) && names.isSubset(of: self.names)
    }
}

/// The installed browser does not know policies on which Baton's promises rest. Its windows must not open.
package struct PolicyFailure: WindowFailure, Equatable {
    /// The browser's file.
    package let file: String
    package let policies: [String]

    /// - Returns: nil if the browser knows all needed policies, or if it could not be determined which policies it
    ///   knows.
    package init?(_ finding: PolicySearch.Finding?, needed: Set<String>, in place: PolicyPlace) {
        guard case .known(let known) = finding, !needed.isSubset(of: known) else { return nil }
        (file, policies) = (place.file, needed.subtracting(known).sorted())
    }

    package var code: String { "browser_policy_unknown" }

    package var cause: String {
        "The browser \(file) does not know policies on which Baton relies: \(policies.joined(separator: ", "))."
    }

    package var remedy: String {
        "Install a version of Baton that supports this browser, or the browser's former version."
    }
}

/// Finds out which policies installed browsers know. It reads a browser's files again only if they have changed.
///
/// Do not use it in a process that reaps all of its children.
package actor InstalledPolicies {
    private var examined: [PolicyPlace: ExaminedPolicies]

    /// - Parameter known: what was found before the process started anew (``known``).
    package init(_ known: [ExaminedPolicies] = []) {
        examined = Dictionary(known.map { ($0.place, $0) }) { $1 }
    }

    /// What is known about the browsers that were examined.
    package var known: [ExaminedPolicies] { Array(examined.values) }

    /// What keeps a confined window of a browser from opening; nil if nothing does.
    ///
    /// - Parameters:
    ///   - needed: the policies that the browser must know.
    ///   - isConfinementKnown: whether a browser can be confined on this machine.
    package func obstacle(
        _ needed: Set<String>, in place: PolicyPlace, isConfinementKnown: Bool = false
    ) async -> (any WindowFailure)? {
        do {
            if !isConfinementKnown { try await blocking { try Confinement.check() } }
            try await check(needed, in: place)
            return nil
        } catch { return error as? any WindowFailure }
    }

    /// - Throws: ``PolicyFailure`` if the browser does not know one of the policies.
    package func check(_ needed: Set<String>, in place: PolicyPlace) async throws {
        guard let stamp = FileStamp(of: place.file) else { return }
        if examined[place]?.answers(needed) != true {
            let finding = try await blocking { try PolicySearch(for: needed, in: place).finish() }
            examined[place] = finding.map { ExaminedPolicies($0, of: needed, in: place, stamp) }
        }
        if let failure = PolicyFailure(examined[place]?.finding, needed: needed, in: place) { throw failure }
    }
}
