// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserWindows
internal import CLinux
internal import Files
internal import Glibc
internal import Processes
internal import UnixSocket

/// Finds the sockets on which confined browsers listen, and the files from outside a browser's confinement that the
/// browser holds open.
///
/// It sees only one moment, not what was open before or will be open later. It does not judge UDP ports, because voice
/// and video calls in pages use them.
struct BrowserExaminer {
    /// The sockets that listen, by their links in `/proc/<pid>/fd`.
    private let sockets: [String: OpenResource]
    /// The device numbers of the files in memory (memfd_create(2)) and of the pipes (pipe(2)), which have no name.
    private let nameless: [UInt64]
    /// The mount namespace of this process.
    private let ownNamespace: [UInt8]
    private var examination: BrowserExamination
    private var count = 0

    /// The maximum number of descriptor slots that are looked at. A browser has a few thousand.
    private static let maximum = 100_000

    /// The program that a process of the agent executes until it becomes a window's first process.
    private static let waiting = "/bin/sh"

    /// Examines the windows' processes, and other descendants of the agent that have a browser's mark; blocks.
    ///
    /// - Parameters:
    ///   - windows: the windows' first processes.
    ///   - other: a child of the agent that is not examined, although it may have the mark.
    static func examine(
        _ windows: [ChildProcess], except other: ChildProcess?, _ moment: BrowserExamination.Moment
    ) -> BrowserExamination {
        guard let table = try? ProcessTable.read(), var examiner = try? BrowserExaminer(moment) else {
            var nothing = BrowserExamination(moment)
            nothing.isComplete = false
            return nothing
        }
        var known = Set(other.map { tree(of: $0.pid, in: table).map(\.name) } ?? [])
        for window in windows {
            let processes = tree(of: window.pid, in: table)
            known.formUnion(processes.map(\.name))
            examiner.look(at: processes.filter { !$0.isZombie }.map(\.pid), of: window)
        }
        do throws(ProcessFailure) {
            let own = ProcessTable(entries: table.descendants(of: getpid()))
            let marked = try own.variables(beginning: BrowserProfile.markName + "=").map(\.0)
            for process in marked where !known.contains(process.name) { examiner.look(at: [process.pid]) }
        } catch { examiner.examination.isComplete = false }
        return examiner.examination
    }

    private static func tree(of process: Int32, in table: ProcessTable) -> [ProcessTable.Entry] {
        table.entries.filter { $0.pid == process } + table.descendants(of: process)
    }

    /// - Throws: ``FileError``.
    private init(_ moment: BrowserExamination.Moment) throws(FileError) {
        examination = BrowserExamination(moment)
        let ports = try SocketTable.listeners().map {
            (SocketTable.link(to: $0.inode), OpenResource.port($0.port))
        }
        let names = try SocketTable.abstractSockets().filter(\.isListening).map {
            (SocketTable.link(to: $0.inode), OpenResource.abstractSocket)
        }
        sockets = Dictionary(ports + names) { first, _ in first }
        nameless = [try Status(of: MemoryFile().descriptor).device, try Self.deviceOfPipes()]
        ownNamespace = try SymbolicLink.target(of: "/proc/self/ns/mnt") ?? []
    }

    private static func deviceOfPipes() throws(FileError) -> UInt64 {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw FileError(.open, errno: errno, path: "a pipe") }
        let (reading, writing) = (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
        return try withExtendedLifetime(writing) { () throws(FileError) in try Status(of: reading).device }
    }

    /// Looks at processes that belong together.
    ///
    /// - Parameter window: the first of them, if the agent started it.
    private mutating func look(at processes: [Int32], of window: ChildProcess? = nil) {
        // A process may have left the mount namespace in which it or its parent opened a file.
        var mounts: Set<String> = []
        var confined: [Int32] = []
        for process in processes {
            do throws(FileError) {
                guard let namespace = try SymbolicLink.target(of: "/proc/\(process)/ns/mnt") else { continue }
                if namespace != ownNamespace {
                    try mounts.formUnion(MountTable.read(of: process).mounts.map(\.id))
                    confined.append(process)
                } else if try !isAgents(process, isFirst: process == window?.pid) {
                    // The process's program is a file from outside, and so is every file that the process has opened.
                    examination.add(.outsideFile)
                    try look(process, [])
                }
            } catch { note(error) }
        }
        for process in confined {
            do throws(FileError) { try look(process, mounts) } catch { note(error) }
        }
    }

    /// Whether a process outside every confinement executes a program that is expected there. This is the agent's
    /// program, which each child executes until it starts its own program. In a window's first process it is also a
    /// program that runs before the confinement exists.
    private func isAgents(_ process: Int32, isFirst: Bool) throws(FileError) -> Bool {
        let program = try Status(at: "/proc/\(process)/exe")
        for path in ["/proc/self/exe"] + (isFirst ? [Self.waiting, Confinement.program] : []) {
            if try Status(at: path).isSameFile(as: program) { return true }
        }
        return false
    }

    private mutating func note(_ error: FileError) {
        // With these two errors, the process has ended.
        if ![ENOENT, ESRCH].contains(error.errno) { examination.isComplete = false }
    }

    private mutating func look(_ process: Int32, _ mounts: Set<String>) throws(FileError) {
        let place = "/proc/\(process)"
        let handle = clinux_pidfd_open(process)
        guard handle >= 0 else { throw FileError(.open, errno: -handle, path: place) }
        let pidfd = Descriptor(owning: handle)
        guard let status = try ProcessTable.status(process) else { throw FileError(.read, errno: ESRCH, path: place) }
        count += Int(status.descriptorSlots)
        guard count <= Self.maximum else { return examination.isComplete = false }
        // Only root may list the descriptors of Chromium's processes that show pages.
        for number in 0..<status.descriptorSlots {
            let copy = pidfd.withNumber { clinux_pidfd_getfd($0, number) }
            guard copy != -EBADF else { continue }
            guard copy >= 0 else { throw FileError(.open, errno: -copy, path: place) }
            try look(Descriptor(owning: copy), mounts)
        }
    }

    /// - Parameter mounts: the numbers of the mounts that the window's processes see.
    private mutating func look(_ descriptor: Descriptor, _ mounts: Set<String>) throws(FileError) {
        let status = try Status(of: descriptor)
        let number = descriptor.withNumber { $0 }
        switch status.kind {
        case S_IFSOCK:
            let link = try SymbolicLink.target(of: "/proc/self/fd/\(number)") ?? []
            if let socket = sockets[String(decoding: link, as: UTF8.self)] { examination.add(socket) }
        case S_IFREG, S_IFDIR, S_IFIFO, S_IFCHR, S_IFBLK, S_IFLNK:
            guard !nameless.contains(status.device), !status.keepsNothing else { return }
            let text = try AtomicFile(path: "/proc/self/fdinfo/\(number)").read()
            guard let mount = text.flatMap(Self.mount) else { return examination.isComplete = false }
            if !mounts.contains(mount) { examination.add(.outsideFile) }
        default: break
        }
        withExtendedLifetime(descriptor) {}
    }

    /// What fstat(2) reports about a file.
    private struct Status {
        private let status: stat

        /// - Throws: ``FileError``.
        init(of descriptor: Descriptor) throws(FileError) {
            var status = stat()
            guard descriptor.withNumber({ unsafe fstat($0, &status) }) == 0 else {
                throw FileError(.read, errno: errno, path: "an open file")
            }
            self.status = status
        }

        /// Follows symbolic links.
        ///
        /// - Throws: ``FileError``.
        init(at path: String) throws(FileError) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { throw FileError(.read, errno: errno, path: path) }
            self.status = status
        }

        var device: UInt64 { UInt64(status.st_dev) }
        var kind: mode_t { status.st_mode & S_IFMT }

        func isSameFile(as other: Status) -> Bool {
            status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
        }

        /// Whether this is one of the kernel's devices through which no program can pass data to another one: null,
        /// zero, full, random or urandom (mem(4), null(4), random(4)).
        var keepsNothing: Bool {
            kind == S_IFCHR && [0x103, 0x105, 0x107, 0x108, 0x109].contains(status.st_rdev)
        }
    }

    /// The number of the mount through which a file was opened (proc_pid_fdinfo(5)).
    private static func mount(in information: [UInt8]) -> String? {
        String(decoding: information, as: UTF8.self).split(separator: "\n").compactMap { line -> String? in
            let parts = line.split(separator: ":")
            return parts.count == 2 && parts[0] == "mnt_id" ? parts[1].filter(\.isNumber) : nil
        }.first
    }
}
