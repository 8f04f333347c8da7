// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// The open files that the service manager passed to this process, with their names (sd_listen_fds_with_names(3)).
package struct InheritedDescriptors: Sendable {
    /// The descriptors in the manager's order. A name may occur more than once.
    package let all: [(name: String, descriptor: Descriptor)]

    /// The value for a process that received no descriptors.
    package static let none = InheritedDescriptors(all: [])

    private init(all: [(name: String, descriptor: Descriptor)]) { self.all = all }

    /// The number of the first inherited descriptor.
    private static let first: Int32 = 3
    private static let maximum: Int32 = 64

    /// Takes over the descriptors. Call it once, at the start of the process, before its first thread. No child process
    /// inherits them.
    ///
    /// - Throws: ``SocketError`` (`EINVAL`) if the environment variables are invalid or contradictory.
    package static func take() throws(SocketError) -> InheritedDescriptors {
        defer { for name in Variable.allCases { unsafe unsetenv(name.rawValue) } }
        // Variables for another process are ignored. They occur if the parent received descriptors and did not remove
        // its variables.
        guard let process = value(.process), process == String(getpid()), let counted = value(.count) else {
            return .none
        }
        guard let count = Int32(counted), (0...maximum).contains(count) else { throw malformed }
        let names = value(.names).map { $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init) }
        guard names == nil || names?.count == Int(count) || count == 0 else { throw malformed }
        var all: [(name: String, descriptor: Descriptor)] = []
        for offset in 0..<count {
            let number = first + offset
            guard clinux_close_on_exec(number) == 0 else { throw malformed }
            all.append((names?[Int(offset)] ?? "unknown", Descriptor(owning: number)))
        }
        return InheritedDescriptors(all: all)
    }

    private static var malformed: SocketError { SocketError(call: .inherit, errno: EINVAL) }

    private enum Variable: String, CaseIterable {
        case process = "LISTEN_PID"
        case count = "LISTEN_FDS"
        case names = "LISTEN_FDNAMES"
    }

    private static func value(_ name: Variable) -> String? {
        unsafe getenv(name.rawValue).map { unsafe String(cString: $0) }
    }
}
