// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Synchronization
package import UnixSocket

/// A stand-in for systemd: programs notify it when they are ready (sd_notify(3)), and it hands them sockets
/// (sd_listen_fds(3)) and keeps their open files from one start to the next (systemd.service(5),
/// `FileDescriptorStoreMax`).
package final class ServiceManager: Sendable {
    private let notices: NoticeSocket
    private let sockets: [(name: String, descriptor: Descriptor)]
    private let store = Mutex<[(name: String, descriptor: Descriptor)]>([])

    /// - Parameter sockets: the sockets on which it listens for the program.
    package init(in scratch: Scratch, sockets: [(name: String, descriptor: Descriptor)] = []) throws {
        notices = try NoticeSocket(path: scratch.path("notify-\(UInt32.random(in: 0...UInt32.max))"))
        self.sockets = sockets
    }

    /// The path at which programs report that they are ready; only the tests' own user may write to it.
    package var socketPath: String { notices.path }

    /// The names of the files that the service manager keeps now. Reads all pending notifications first.
    package var keptNames: [String] {
        get throws {
            try catchUp()
            return store.withLock { $0.map(\.name) }
        }
    }

    /// The files that the service manager keeps, as an attacker with access to them would have them.
    package var kept: [Descriptor] {
        get throws {
            try catchUp()
            return store.withLock { $0.map(\.descriptor) }
        }
    }

    /// The descriptors, variables and wrapper command for the next start.
    struct HandedOver {
        var descriptors: [(Descriptor, as: Int32)] = []
        var environment: [String: String] = [:]
        /// Sets the process for which the descriptors are meant; its number is known only once the program runs.
        var wrapper: [String] = []
    }

    var handedOver: HandedOver {
        let all = sockets + store.withLock { $0 }
        guard !all.isEmpty else { return HandedOver() }
        return HandedOver(
            descriptors: all.enumerated().map { ($1.descriptor, as: Int32(3 + $0)) },
            environment: ["LISTEN_FDS": "\(all.count)", "LISTEN_FDNAMES": all.map(\.name).joined(separator: ":")],
            wrapper: ["/bin/sh", "-c", #"export LISTEN_PID=$$; exec "$0" "$@""#])
    }

    /// Blocks until the program is ready, or has ended.
    func awaitReady(or pidfd: Descriptor, seconds: Int32) throws -> Bool {
        while let notice = try notices.notice(or: pidfd, seconds: seconds) {
            take(notice)
            if notice.saysReady { return true }
        }
        return false
    }

    /// Reads all pending notifications.
    private func catchUp() throws {
        while true {
            do throws(SocketError) {
                guard let notice = try notices.notice(or: nil, seconds: 0) else { return }
                take(notice)
            } catch {
                guard error.errno == ETIMEDOUT else { throw error }
                return
            }
        }
    }

    private func take(_ notice: NoticeSocket.Notice) {
        let name = notice.lines.first { $0.hasPrefix("FDNAME=") }.map { String($0.dropFirst(7)) } ?? "stored"
        store.withLock { store in
            if notice.lines.contains("FDSTORE=1") { store += notice.descriptors.map { (name, $0) } }
            if notice.lines.contains("FDSTOREREMOVE=1") { store.removeAll { $0.name == name } }
        }
    }
}
