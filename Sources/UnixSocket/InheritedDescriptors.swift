// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// The open files that the service manager started this process with, by name (sd_listen_fds_with_names(3)).
package struct InheritedDescriptors: Sendable {
    /// In the manager's order; a name may stand more than once.
    package let all: [(name: String, descriptor: Descriptor)]

    /// None: for a process that nobody handed anything.
    package static let none = InheritedDescriptors(all: [])

    private init(all: [(name: String, descriptor: Descriptor)]) { self.all = all }

    /// The number of the first of them.
    private static let first: Int32 = 3
    private static let maximum: Int32 = 64

    /// Takes them over; once, at the start of the process, before its first thread. They stay with this process alone.
    ///
    /// - Throws: ``SocketError`` (`EINVAL`) where the variables contradict each other or themselves.
    package static func take() throws(SocketError) -> InheritedDescriptors {
        defer { for name in Variable.allCases { unsafe unsetenv(name.rawValue) } }
        // Somebody else's: a parent that was itself started so, and did not clean up.
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
