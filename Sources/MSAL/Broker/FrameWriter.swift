// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization
internal import UnixSocket

/// Writes frames to the broker, in order, without blocking the caller.
///
/// If the socket has room, the caller's thread writes the frame itself. This saves a thread switch for nearly every
/// call. If the broker does not read, a queue writes this frame and the frames that follow.
final class FrameWriter: Sendable {
    private let queue = DispatchQueue(label: "org.baton.msal.writer")
    /// The number of frames that the queue has not written yet.
    private let waiting = Mutex(0)

    /// Writes a frame. If the write fails, only shuts the connection down: the reading thread then fails or repeats the
    /// calls.
    func write(_ body: [UInt8], to connection: FrameConnection) {
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

    private func finish(_ frame: FrameConnection.UnsentFrame, to connection: FrameConnection) {
        do throws(SocketError) { try connection.write(frame) } catch { connection.shutDown() }
        waiting.withLock { $0 -= 1 }
    }
}
