// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import Storage
internal import UnixSocket

/// Wakes the thread of a connection while it waits for the server.
final class WakeUp: Sendable {
    private let sender: Descriptor
    /// Becomes readable after ``signal()``.
    let receiver: Descriptor

    /// - Throws: ``Failure`` if the process has no descriptor left.
    init() throws(Failure) {
        var ends: [Int32] = [-1, -1]
        let outcome = unsafe clinux_socket_pair(&ends)
        guard outcome == 0 else {
            throw Failure(.unavailable, as: .unavailable, "the process cannot open another file, errno \(-outcome)")
        }
        (sender, receiver) = (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }

    /// Wakes the thread; never blocks. Any thread may call it.
    func signal() {
        // If the buffer is full, no further byte is needed: the receiver is already readable.
        _ = sender.withNumber { unsafe clinux_send($0, [UInt8(1)], 1, nil, 0, Int32(MSG_DONTWAIT)) }
    }

    /// Waits until the thread is woken or until a deadline passes.
    func wait(until deadline: ContinuousClock.Instant) {
        let milliseconds = max(0, (deadline - .now).milliseconds + 1)
        if receiver.isReadable(within: Int32(clamping: milliseconds)) { clear() }
    }

    /// Discards all signals so far.
    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        receiver.withNumber { number in while unsafe recv(number, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {} }
    }
}
