// SPDX-License-Identifier: Apache-2.0
import Processes

/// How the search for traces gets to see the memory of the device's processes, which keep it to themselves.
enum Inspection: CaseIterable {
    /// As root.
    case root
    /// The device's programs, unchanged, run in a user namespace with the same user id. Whoever made a namespace may
    /// look into what runs there (user_namespaces(7)): the person who plays the story, and nobody else.
    case namespace

    /// What the device's programs are started through.
    var wrapper: [String] {
        switch self {
        case .root: []
        case .namespace: ["/usr/bin/unshare", "--user", "--map-current-user", "--"]
        }
    }

    /// Finds a way that works here, by trying it.
    ///
    /// - Parameter program: the program that searches.
    /// - Throws: ``CommandFailure`` where there is none.
    static func find(program: String) throws -> Inspection {
        for way in allCases {
            let probe = try ChildProcess.spawnBound(
                executable: program, arguments: ["probe"] + way.wrapper,
                environment: ["PATH": "/usr/bin:/bin"], output: .discarded)
            if try probe.waitForExit().isSuccess { return way }
        }
        throw CommandFailure(
            code: "memory_unreadable",
            message: "The story ends with a search of the processes' memory, which this user may not read here.",
            remedy: "Run the demo as root, or where user namespaces are allowed (unshare --user true must succeed).")
    }
}
