// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc

/// The service manager's end of sd_notify(3): waits for `READY=1` without asking over and over.
final class NotifySocket: Sendable {
    struct Failure: Error {
        let call: String
        let errno: Int32
    }

    let path: String
    private let number: Int32

    init(path: String) throws {
        self.path = path
        number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw Failure(call: "socket", errno: errno) }
        var address = try unixAddress(path)
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw Failure(call: "bind", errno: errno) }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(number)
        _ = unsafe unlink(path)
    }

    /// Returns when a process says that it serves; fails after a minute of silence.
    func waitUntilReady() async throws {
        let received: Result<[UInt8], Failure> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [number] in
                var bytes = [UInt8](repeating: 0, count: 256)
                let count = unsafe recv(number, &bytes, bytes.count, 0)
                continuation.resume(
                    returning: count < 0
                        ? .failure(Failure(call: "recv", errno: errno)) : .success(Array(bytes.prefix(count))))
            }
        }
        guard try received.get() == Array("READY=1".utf8) else { throw Failure(call: "ready", errno: 0) }
    }
}

/// A Unix socket's address; fails on paths over 107 bytes.
func unixAddress(_ path: String) throws -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
        throw NotifySocket.Failure(call: "address", errno: ENAMETOOLONG)
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    return address
}
