// SPDX-License-Identifier: Apache-2.0

/// A place where data of a worker can remain. Each entry names who clears the data and who observes that it is gone.
///
/// ``all`` is the only list of these places; `docs/reference/leftovers.md` is generated from it.
package struct Leftover: Sendable {
    /// Where the data is.
    package enum Place: Sendable, Hashable {
        /// Below the device's state folder (`directory` of `batond.json`).
        case state(String)
        /// Below the agent's folder of browser profiles.
        case profiles(String)
        /// Below the home of a session user.
        case home(String)
        /// An absolute path.
        case path(String)
        /// Not a file, but something that the kernel lists.
        case object(Kind)
        /// A place that is described in words.
        case elsewhere(String)
    }

    /// The kinds of objects other than files that the kernel lists.
    package enum Kind: String, Sendable, CaseIterable {
        /// A process of a session user that is neither one of Baton's programs nor a browser of the agent.
        case process
        /// A process with the mark of the agent's browser, or a process that such a process started.
        case browserProcess = "browser_process"
        /// A process of one of Baton's programs.
        case ownProcess = "own_process"
        /// A Unix socket with an abstract name.
        case socket
        /// A TCP port that a process listens on.
        case listener
        /// A System V object: shared memory, semaphores, a message queue.
        case ipc
        case mount
    }

    /// What happens to the data at the end of a session.
    package enum Fate: String, Sendable {
        /// The data stays, by design.
        case kept
        /// Baton clears the data, or has an app clear it.
        case cleared
        /// No part of Baton clears the data.
        case notCovered = "not_covered"
    }

    /// Who observed that the data is gone.
    package enum Observer: String, Sendable {
        case broker, helper, agent, app, nobody
    }

    /// The test that checks the entry: the names of its suite and of the test itself.
    package struct Test: Sendable, Hashable {
        package let suite: String
        package let sentence: String

        init(_ suite: String, _ sentence: String) { (self.suite, self.sentence) = (suite, sentence) }
    }

    /// A stable name, for programs.
    package let name: String
    package let places: [Place]
    private let paths: [PlacePattern]
    private let pathsInHomes: [PlacePattern]
    /// The data of a worker that the place can hold.
    package let holds: String
    package let fate: Fate
    /// Who removes the data and when; if nobody does, what an administrator can do about it.
    package let eraser: String
    package let observer: Observer
    /// The receipt's item about this place; nil if receipts have no such item.
    package let item: String?
    package let test: Test?
    /// Whether an audit reports a change of the entry's files as unexplained.
    package let isFixed: Bool

    init(
        _ name: String, _ places: [Place], fate: Fate, holds: String, eraser: String, observer: Observer = .nobody,
        item: String? = nil, test: Test? = nil, isFixed: Bool = false
    ) {
        (self.name, self.places, self.fate) = (name, places, fate)
        paths = places.compactMap { if case .path(let pattern) = $0 { PlacePattern(pattern) } else { nil } }
        pathsInHomes = places.compactMap { if case .home(let pattern) = $0 { PlacePattern(pattern) } else { nil } }
        self.isFixed = isFixed
        (self.holds, self.eraser, self.observer, self.item, self.test) = (holds, eraser, observer, item, test)
    }

    /// Every entry. If two entries name the same place, the first entry applies.
    package static let all = state + session + programs + notCovered

    /// Returns the first entry that matches a file outside the device's own folders; nil if none matches.
    ///
    /// - Parameters:
    ///   - path: the file's absolute path.
    ///   - homes: the home folders of the session users.
    package static func entry(ofFile path: String, homes: [String]) -> Leftover? {
        let bytes = Array(path.utf8)
        let inHome = homes.first { path.hasPrefix($0 + "/") }.map { bytes.dropFirst($0.utf8.count + 1) }
        return all.first { entry in
            entry.paths.contains { $0.matches(bytes[...]) }
                || inHome.map { name in entry.pathsInHomes.contains { $0.matches(name) } } ?? false
        }
    }
}

extension Leftover.Place {
    /// The place's path or pattern, relative to the folder that the case names.
    package var pattern: String {
        switch self {
        case .state(let pattern), .profiles(let pattern), .home(let pattern), .path(let pattern): pattern
        case .object(let kind): kind.rawValue
        case .elsewhere(let words): words
        }
    }

    /// Whether a path, or a name below the place's folder, matches the pattern; `*` stands for any characters.
    ///
    /// If the pattern is a folder's path followed by `/*`, the path of the folder itself matches, too.
    package func matches(_ name: String) -> Bool {
        PlacePattern(pattern).matches(Array(name.utf8)[...])
    }
}
