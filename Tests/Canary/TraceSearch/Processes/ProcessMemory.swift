// SPDX-License-Identifier: Apache-2.0
internal import CInspection
internal import Glibc

/// How this process inspects another process.
///
/// Root reads the files of /proc. The owner of the user namespace in which a process runs may also inspect the process
/// (user_namespaces(7)), but the files in /proc of a process that protects its memory belong to root. In that case,
/// system calls are used.
package enum InspectionMethod: CaseIterable, Sendable {
    case files, calls
}

/// The memory of another process.
package struct ProcessMemory {
    private let pid: Int32
    private let file: OpenFile?

    /// - Parameter method: the method to use; nil for the method that the kernel allows.
    package init(of pid: Int32, by method: InspectionMethod? = nil) throws(SystemError) {
        self.pid = pid
        guard method != .calls else {
            file = nil
            return
        }
        do throws(SystemError) { file = try OpenFile(FilePath("/proc/\(pid)/mem"), O_RDONLY) } catch {
            guard error.errno == EACCES, method == nil else { throw error }
            file = nil
        }
    }

    /// Reads at most `count` bytes, fewer if a page cannot be read.
    ///
    /// - Throws: ``SystemError`` if the first byte cannot be read.
    package func read(at address: UInt64, _ count: Int) throws(SystemError) -> [UInt8] {
        if let file { return try file.read(at: Int(address), count) }
        return try unsafe SystemError.read(count) { room in
            let outcome = unsafe inspection_read_memory(pid, address, room.baseAddress, room.count)
            if outcome < 0 { errno = Int32(-outcome) }
            return outcome
        }
    }
}

/// A part of a process's address space.
struct Mapping: Hashable {
    let begin: UInt64
    let end: UInt64
    let rights: String
    /// A file, or the kernel's name for the mapping; empty for most memory.
    let name: String

    /// The readable mappings of a process.
    static func all(of pid: Int32) throws(SystemError) -> [Mapping] {
        let text = String(
            decoding: try OpenFile(FilePath("/proc/\(pid)/maps"), O_RDONLY).readAll(), as: UTF8.self)
        var mappings: [Mapping] = []
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            let borders = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard fields.count >= 5, borders.count == 2 else { throw SystemError(EBADMSG) }
            let name = fields.count > 5 ? String(fields[5].drop { $0 == " " }) : ""
            // The kernel's own pages are the same in every process.
            let isKernels = ["[vvar]", "[vvar_vclock]", "[vsyscall]"].contains(name)
            guard fields[1].hasPrefix("r"), !isKernels else { continue }
            mappings.append(Mapping(begin: borders[0], end: borders[1], rights: String(fields[1]), name: name))
        }
        return mappings
    }

    var isOfFile: Bool { name.hasPrefix("/") }
    var isWritable: Bool { rights.hasPrefix("rw") }
    var count: Int { Int(end - begin) }
}
