// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// What this process does when its command has ended, before it exits.
enum AtEnd {
    private static let acts = Mutex<[@Sendable () async -> Void]>([])

    /// Adds an act. It does not run if a signal ends the process.
    static func add(_ act: @escaping @Sendable () async -> Void) { acts.withLock { $0.append(act) } }

    /// Runs the acts once, in the order in which they were added.
    static func run() async {
        let added = acts.withLock { acts in
            defer { acts = [] }
            return acts
        }
        for act in added { await act() }
    }
}
