// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import TestSupport
import UnixSocket

/// A TPM that accepts connections and never answers.
final class SilentTPM: Sendable {
    let configuration: String
    private let listeners: [Listener]
    private let taken = Mutex<[Descriptor]>([])

    init(in scratch: Scratch) throws {
        let path = scratch.path("silent")
        listeners = try [path, path + ".ctrl"].map { try Listener(path: $0, mode: 0o600) }
        configuration = "swtpm:path=" + path
    }

    /// Accepts waiting connections and returns the number of all connections so far.
    func connections() throws -> Int {
        for listener in listeners {
            while Self.hasWaiting(listener) {
                let connection = try listener.accept()
                taken.withLock { $0.append(connection) }
            }
        }
        return taken.withLock(\.count)
    }

    func close() {
        for listener in listeners { listener.close() }
        taken.withLock { $0 = [] }
    }

    private static func hasWaiting(_ listener: Listener) -> Bool {
        listener.descriptor.withNumber { number in
            var question = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&question, 1, 0) > 0
        }
    }
}
