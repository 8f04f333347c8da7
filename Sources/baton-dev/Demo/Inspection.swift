// SPDX-License-Identifier: Apache-2.0
import CommandLineInterface
import Processes

/// A method to read the memory of the device's processes, although the processes protect their memory. The search for
/// traces needs such a method.
enum Inspection: CaseIterable {
    /// The search reads the memory as root.
    case root
    /// The device's unchanged programs run in a user namespace with the same user id. Only the creator of a namespace,
    /// here the person who runs the demo, may inspect the processes in it (user_namespaces(7)).
    case namespace

    /// The command through which the device's programs are started.
    var wrapper: [String] {
        switch self {
        case .root: []
        case .namespace: ["/usr/bin/unshare", "--user", "--map-current-user", "--"]
        }
    }

    /// Tries each method, and returns the first that works on this machine.
    ///
    /// - Parameter program: the path of the search program.
    /// - Throws: ``CommandFailure`` if no method works.
    static func find(program: String) throws -> Inspection {
        for method in allCases {
            let probe = try ChildProcess.spawnBound(
                executable: program, arguments: ["probe"] + method.wrapper,
                environment: ["PATH": "/usr/bin:/bin"], output: .discarded)
            if try probe.waitForExit().isSuccess { return method }
        }
        throw CommandFailure(
            code: "memory_unreadable",
            message: "The demo ends with a search of the processes' memory, which this user may not read here.",
            remedy: "Run the demo as root, or where user namespaces are allowed (unshare --user true must succeed).")
    }
}
