// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Processes
internal import UnixSocket

/// Waits until files in one folder reach a state. The kernel reports changes (inotify(7)); there is no polling.
package final class FolderWatch: Sendable {
    private let events: Descriptor
    private let folder: String

    package init(_ folder: String) throws {
        let number = inotify_init1(Int32(IN_CLOEXEC))
        guard number >= 0 else { throw TestProblem("inotify: error \(errno)") }
        events = Descriptor(owning: number)
        self.folder = folder
        let mask = UInt32(IN_MOVED_TO | IN_MOVED_FROM | IN_MODIFY | IN_CREATE | IN_DELETE)
        guard unsafe inotify_add_watch(number, folder, mask) >= 0 else {
            throw TestProblem("\(folder): error \(errno)")
        }
    }

    /// Waits until `holds` returns true. It is called at once, and again after every change.
    ///
    /// - Throws: ``TestProblem`` after three minutes without any change.
    package func until(_ what: String, holds: @escaping @Sendable () async throws -> Bool) async throws {
        while try await !holds() {
            try await blocking { [self] in
                var question = pollfd(fd: events.withNumber { $0 }, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&question, 1, 180_000) > 0 else { throw TestProblem("\(folder): not yet \(what)") }
                var bytes = [UInt8](repeating: 0, count: 4096)
                _ = events.withNumber { unsafe read($0, &bytes, bytes.count) }
            }
        }
    }
}
