// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization
internal import UnixSocket

/// Writes frames to the broker, in order, without blocking the caller.
///
/// The caller's thread writes a frame itself if the socket has room, which saves a switch of threads for nearly every
/// call. If the broker does not read, a queue writes this frame and those that follow.
final class FrameWriter: Sendable {
    private let queue = DispatchQueue(label: "org.baton.msal.writer")
    /// The number of frames that the queue has not written yet.
    private let waiting = Mutex(0)

    /// A failed write needs no other handling than the end of the connection: the reader sees it and fails or repeats
    /// the calls.
    func write(_ body: [UInt8], to connection: Connection) {
        waiting.withLock { waiting in
            do throws(SocketError) {
                let unsent =
                    waiting == 0 ? try connection.writeWithoutWaiting(body) : try connection.unsent(body)
                guard let unsent else { return }
                waiting += 1
                queue.async { [self] in finish(unsent, to: connection) }
            } catch { connection.shutDown() }
        }
    }

    private func finish(_ frame: Connection.UnsentFrame, to connection: Connection) {
        do throws(SocketError) { try connection.write(frame) } catch { connection.shutDown() }
        waiting.withLock { $0 -= 1 }
    }
}
