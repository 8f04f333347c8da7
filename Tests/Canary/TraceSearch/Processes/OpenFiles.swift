// SPDX-License-Identifier: Apache-2.0
internal import CInspection
internal import CLinux
internal import Glibc
internal import UnixSocket

/// The open files of another process.
package enum OpenFiles {
    /// The number of each file that the process has open, and a descriptor of this process for that file. The
    /// descriptor may not be readable.
    package static func all(
        of pid: Int32, by method: InspectionMethod? = nil
    ) throws(SystemError) -> [(number: Int, file: OpenFile)] {
        if method == .calls { return try byCall(pid) }
        let folder = FilePath("/proc/\(pid)/fd")
        let names: [[UInt8]]
        do throws(SystemError) { names = try folder.names() } catch {
            guard error.errno == EACCES, method == nil else { throw error }
            return try byCall(pid)
        }
        var found: [(number: Int, file: OpenFile)] = []
        for name in names {
            guard let number = Int(String(decoding: name, as: UTF8.self)) else { throw SystemError(EBADMSG) }
            do throws(SystemError) {
                found.append((number, try OpenFile(folder.appending(name), inspection_path_only)))
            } catch {
                // The file was closed meanwhile.
                guard error.isAbsence else { throw error }
            }
        }
        return found
    }

    /// Tries every possible number, since the list is not readable.
    private static func byCall(_ pid: Int32) throws(SystemError) -> [(number: Int, file: OpenFile)] {
        let outcome = clinux_pidfd_open(pid)
        guard outcome >= 0 else { throw SystemError(-outcome) }
        let process = Descriptor(owning: outcome)
        let limit = inspection_open_file_limit(pid)
        guard limit >= 0 else { throw SystemError(Int32(-limit)) }
        var found: [(number: Int, file: OpenFile)] = []
        for number in 0..<Int32(limit) {
            let taken = process.withNumber { inspection_take_file($0, number) }
            if taken >= 0 {
                found.append((Int(number), OpenFile(owning: taken)))
            } else if taken != -EBADF {
                throw SystemError(-taken)
            }
        }
        return found
    }
}
