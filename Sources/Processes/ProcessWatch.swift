// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Files
internal import Glibc
internal import Synchronization
internal import UnixSocket

/// Reports when one of the watched processes has ended, whoever started it. One thread waits for all of them.
package final class ProcessWatch: Sendable {
    /// The maximum number of processes that are watched at once.
    package static let maximum = 256

    private let shared: Shared

    /// - Parameter ended: called on the watch's thread after one or more of the processes have ended.
    /// - Throws: ``ThreadFailure``, or ``SocketError`` if this process has no descriptor left.
    package init(_ ended: @escaping @Sendable () -> Void) throws {
        let event = clinux_event()
        guard event >= 0 else { throw SocketError(call: .poll, errno: -event) }
        let shared = Shared(changed: Descriptor(owning: event))
        self.shared = shared
        try BlockingThread.start { shared.run(ended) }
    }

    deinit { shared.stop() }

    /// Watches these processes, and stops watching all others. A process that has already ended is reported at once.
    ///
    /// - Returns: whether all of them are watched; false if there are too many of them, or if this process has no
    ///   descriptors left.
    package func watch(_ names: Set<ProcessTable.Name>) -> Bool { shared.watch(names) }

    private final class Shared: Sendable {
        private struct State {
            var processes: [ProcessTable.Name: Descriptor] = [:]
            var hasEnded = false
            var isStopped = false
        }

        private let state = Mutex(State())
        /// Readable if the thread must look at the state again.
        private let changed: Descriptor

        init(changed: Descriptor) { self.changed = changed }

        func watch(_ names: Set<ProcessTable.Name>) -> Bool {
            let isWatchingAll = state.withLock { state in
                state.processes = state.processes.filter { names.contains($0.key) }
                var isWatchingAll = true
                for name in names where state.processes[name] == nil {
                    guard state.processes.count < ProcessWatch.maximum else { return false }
                    switch Self.open(name) {
                    case .running(let process): state.processes[name] = process
                    case .ended: state.hasEnded = true
                    case .unknown: isWatchingAll = false
                    }
                }
                return isWatchingAll
            }
            wake()
            return isWatchingAll
        }

        func stop() {
            state.withLock { $0.isStopped = true }
            wake()
        }

        private func wake() {
            let one: [UInt64] = [1]
            changed.withNumber { number in
                _ = unsafe write(number, one, MemoryLayout<UInt64>.size)
            }
        }

        private enum Opened {
            /// With a pidfd.
            case running(Descriptor)
            case ended, unknown
        }

        private static func open(_ name: ProcessTable.Name) -> Opened {
            let number = clinux_pidfd_open(name.pid)
            guard number >= 0 else { return number == -ESRCH ? .ended : .unknown }
            let process = Descriptor(owning: number)
            do throws(FileError) {
                // The process id may have been reused before the pidfd was opened.
                return try ProcessTable.entry(name.pid)?.name == name ? .running(process) : .ended
            } catch { return .unknown }
        }

        func run(_ ended: @Sendable () -> Void) {
            while let watched = state.withLock({ $0.isStopped ? nil : $0.processes }) {
                let names = Array(watched.keys)
                // The descriptors live as long as `watched`.
                let numbers = [changed.withNumber { $0 }] + names.compactMap { watched[$0]?.withNumber { $0 } }
                var questions = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                _ = unsafe poll(&questions, nfds_t(questions.count), -1)
                if questions[0].revents != 0 { clear() }
                let gone = zip(names, questions.dropFirst()).filter { $0.1.revents != 0 }.map(\.0)
                let isNews = state.withLock { state in
                    for name in gone { state.processes[name] = nil }
                    defer { state.hasEnded = false }
                    return state.hasEnded || !gone.isEmpty
                }
                withExtendedLifetime(watched) {}
                if isNews { ended() }
            }
        }

        private func clear() {
            var count: [UInt64] = [0]
            changed.withNumber { number in
                _ = unsafe read(number, &count, MemoryLayout<UInt64>.size)
            }
        }
    }
}
