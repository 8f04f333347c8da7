// SPDX-License-Identifier: Apache-2.0
package import Files
internal import Glibc
package import Processes
internal import UnixSocket

/// Why no window of a browser may open.
package protocol WindowFailure: Error, CustomStringConvertible {
    /// A stable code for other programs.
    var code: String { get }
    var cause: String { get }
    var remedy: String { get }
}

extension WindowFailure {
    package var description: String { cause + " " + remedy }
}

/// Why no browser can be confined on this machine. In that case, no window opens.
package enum ConfinementFailure: WindowFailure, Equatable {
    case noProgram
    /// bubblewrap could not confine a program. The text is its message; nil if it wrote none.
    case refused(String?)
    case unknown(ProcessFailure)
    /// It cannot be determined which parts of the system a browser must not see.
    case unlisted(FileError)

    package var code: String {
        switch self {
        case .noProgram: "bubblewrap_missing"
        case .refused: "user_namespaces_refused"
        case .unknown: "confinement_unknown"
        case .unlisted: "system_files_unlisted"
        }
    }

    package var cause: String {
        switch self {
        case .noProgram: "There is no \(Confinement.program), which confines the browser."
        case .refused(let words):
            "The browser cannot be confined: \(Confinement.program) may not make user namespaces."
                + (words.map { " It says: \($0)." } ?? "")
        case .unknown(let failure): "It is unknown whether the browser can be confined (\(failure))."
        case .unlisted(let error): "It is unknown what of the system a browser must not see (\(error))."
        }
    }

    package var remedy: String {
        switch self {
        case .noProgram: "Install bubblewrap."
        case .refused:
            "Allow them: sysctl kernel.unprivileged_userns_clone=1 and user.max_user_namespaces; no "
                + "RestrictNamespaces= in the unit."
        case .unknown: "Check that the machine has memory, and room for further processes."
        case .unlisted: "Let the session's user list /usr/lib."
        }
    }
}

extension Confinement {
    /// Milliseconds that the program may take.
    private static let patience: Int32 = 10_000

    /// Tries to confine a program that does nothing. Takes some milliseconds; blocks.
    ///
    /// - Throws: ``ConfinementFailure``
    package static func check() throws(ConfinementFailure) {
        guard unsafe access(program, X_OK) == 0 else { throw .noProgram }
        let small = Confinement(memory: Memory(home: 1 << 20, temporary: 1 << 20, shared: 1 << 20))
        let words: [String]
        do throws(FileError) { words = try small.words(for: ["/bin/true"]) } catch { throw .unlisted(error) }
        // If there is no memory for bubblewrap's messages, they are lost, and the start below fails.
        let said = try? BubblewrapWords()
        let status: ExitStatus
        do throws(ProcessFailure) {
            let program = try ChildProcess.spawn(
                executable: words[0], arguments: Array(words.dropFirst()), environment: [:],
                descriptors: [said?.descriptor].compactMap(\.self), output: .discarded)
            if !program.pidfd.isReadable(within: patience) { program.kill() }
            status = try program.waitForExit()
        } catch { throw .unknown(error) }
        guard status.isSuccess else { throw .refused(said?.text) }
    }
}
