// SPDX-License-Identifier: Apache-2.0
internal import Glibc
package import Processes
internal import UnixSocket

/// Why no browser can be confined on this machine. No window opens then.
package enum ConfinementFailure: Error, Sendable, Equatable, CustomStringConvertible {
    case noProgram
    case refused(ExitStatus)
    case unknown(ProcessFailure)

    package var cause: String {
        switch self {
        case .noProgram: "There is no \(Confinement.program), which confines the browser."
        case .refused: "The browser cannot be confined: \(Confinement.program) may not make user namespaces."
        case .unknown(let failure): "It is unknown whether the browser can be confined (\(failure))."
        }
    }

    package var remedy: String {
        switch self {
        case .noProgram: "Install bubblewrap."
        case .refused:
            "Allow them: sysctl kernel.unprivileged_userns_clone=1 and user.max_user_namespaces; no "
                + "RestrictNamespaces= in the unit."
        case .unknown: "Check that the machine has memory, and room for further processes."
        }
    }

    package var description: String { cause + " " + remedy }
}

extension Confinement {
    /// Milliseconds that the program may take.
    private static let patience: Int32 = 10_000

    /// Tries to confine a program that does nothing. Takes some milliseconds; blocks.
    ///
    /// - Throws: ``ConfinementFailure``
    package static func check() throws(ConfinementFailure) {
        guard unsafe access(program, X_OK) == 0 else { throw .noProgram }
        let words = Confinement(memory: Memory(home: 1 << 20, temporary: 1 << 20, shared: 1 << 20)).words(
            for: ["/bin/true"])
        let status: ExitStatus
        do throws(ProcessFailure) {
            let program = try ChildProcess.spawn(
                executable: words[0], arguments: Array(words.dropFirst()), environment: [:], output: .discarded)
            if !program.pidfd.isReadable(within: patience) { program.kill() }
            status = try program.waitForExit()
        } catch { throw .unknown(error) }
        guard status.isSuccess else { throw .refused(status) }
    }
}
