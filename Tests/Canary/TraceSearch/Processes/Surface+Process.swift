// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import UnixSocket

extension Surface {
    /// Searches a process: its readable memory, and the unlinked files that it holds open.
    package func searchProcess(_ pid: Int32) {
        do throws(SystemError) {
            let outcome = clinux_pidfd_open(pid)
            guard outcome >= 0 else { throw SystemError(-outcome) }
            let process = Descriptor(owning: outcome)
            try searchMemory(of: pid)
            try searchUnlinkedFiles(of: pid)
            // After a process has ended, its memory reads as empty.
            guard !Self.hasEnded(process) else { return fail("process \(pid)", "it ended during the search") }
        } catch {
            let isGone = error.isAbsence || error.errno == ESRCH
            fail("process \(pid)", isGone ? "there is no such process" : error.reason)
        }
    }

    private static func hasEnded(_ process: Descriptor) -> Bool {
        var question = pollfd(fd: process.withNumber { $0 }, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&question, 1, 0) != 0
    }

    private func searchMemory(of pid: Int32) throws(SystemError) {
        let memory = try ProcessMemory(of: pid)
        let before = byteCount
        for mapping in try Mapping.all(of: pid) {
            var offset = 0
            do throws(SystemError) {
                let name = mapping.name.isEmpty ? "no file" : mapping.name
                let place = "memory of \(name) at \(String(mapping.begin, radix: 16))"
                try search(place) { () throws(SystemError) in
                    guard offset < mapping.count else { return [] }
                    let count = min(Self.chunk, mapping.count - offset)
                    let piece = try memory.read(at: mapping.begin + UInt64(offset), count)
                    offset += piece.count
                    return piece
                }
            } catch {
                // Pages beyond a mapped file's end, device pages, and pages freed meanwhile have no content.
                guard !mapping.isOfFile, try Mapping.all(of: pid).contains(mapping) else { continue }
                fail("process \(pid)", "memory at \(String(mapping.begin, radix: 16)): \(error.reason)")
            }
        }
        if byteCount == before { fail("process \(pid)", "no memory could be read") }
    }

    /// Searches the open files of the process that were unlinked.
    private func searchUnlinkedFiles(of pid: Int32) throws(SystemError) {
        for (number, file) in try OpenFiles.all(of: pid) {
            let status = try file.status()
            guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 0 else { continue }
            search(try file.reopened(), place: "unlinked file \(number)")
        }
    }
}
