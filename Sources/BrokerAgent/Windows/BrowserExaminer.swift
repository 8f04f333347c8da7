// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import CLinux
internal import Files
internal import Glibc
internal import Processes
internal import UnixSocket

/// Finds the sockets on which confined browsers wait for others, and their open files from outside their confinement.
///
/// It sees one moment: not what was open before or will be open later. It does not judge UDP ports, which calls in pages
/// use.
struct BrowserExaminer {
    /// The sockets that listen, by their links in `/proc/<pid>/fd`.
    private let sockets: [String: OpenResource]
    /// The device number of the files in memory that have no name (memfd_create(2)).
    private let memory: UInt64
    /// The mount namespace of this process.
    private let ownNamespace: [UInt8]
    private var examination: BrowserExamination
    private var count = 0

    /// The most slots for descriptors that are looked at. A browser has a few thousand.
    private static let maximum = 100_000

    /// Examines the descendants of these processes, which are the browsers' first ones; blocks.
    static func examine(_ browsers: [ChildProcess], _ moment: BrowserExamination.Moment) -> BrowserExamination {
        guard !browsers.isEmpty else { return BrowserExamination(moment) }
        guard let table = try? ProcessTable.read(), var examiner = try? BrowserExaminer(moment) else {
            var nothing = BrowserExamination(moment)
            nothing.isComplete = false
            return nothing
        }
        for browser in browsers {
            examiner.look(at: table.descendants(of: browser.pid).filter { !$0.isZombie }.map(\.pid))
        }
        return examiner.examination
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
        memory = try Self.status(of: MemoryFile().descriptor).device
        ownNamespace = try SymbolicLink.target(of: "/proc/self/ns/mnt") ?? []
    }

    /// Looks at the processes of one window.
    private mutating func look(at processes: [Int32]) {
        // A process may have left the mount namespace in which it or its parent opened a file.
        var mounts: Set<String> = []
        var inside: [Int32] = []
        for process in processes {
            do throws(FileError) {
                // bubblewrap's process outside of the confinement is not a browser.
                let namespace = try SymbolicLink.target(of: "/proc/\(process)/ns/mnt")
                guard let namespace, namespace != ownNamespace else { continue }
                try mounts.formUnion(MountTable.read(of: process).mounts.map(\.id))
                inside.append(process)
            } catch { note(error) }
        }
        for process in inside {
            do throws(FileError) { try look(process, mounts) } catch { note(error) }
        }
    }

    private mutating func note(_ error: FileError) {
        // Otherwise the process has ended.
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
        let (device, kind) = try Self.status(of: descriptor)
        let number = descriptor.withNumber { $0 }
        switch kind {
        case S_IFSOCK:
            let link = try SymbolicLink.target(of: "/proc/self/fd/\(number)") ?? []
            if let socket = sockets[String(decoding: link, as: UTF8.self)] { examination.add(socket) }
        case S_IFREG, S_IFDIR:
            guard device != memory else { return }
            let text = try AtomicFile(path: "/proc/self/fdinfo/\(number)").read()
            guard let mount = text.flatMap(Self.mount) else { return examination.isComplete = false }
            if !mounts.contains(mount) { examination.add(.outsideFile) }
        default: break
        }
        withExtendedLifetime(descriptor) {}
    }

    private static func status(of descriptor: Descriptor) throws(FileError) -> (device: UInt64, kind: mode_t) {
        var status = stat()
        guard descriptor.withNumber({ unsafe fstat($0, &status) }) == 0 else {
            throw FileError(.read, errno: errno, path: "an open file")
        }
        return (UInt64(status.st_dev), status.st_mode & S_IFMT)
    }

    /// The number of the mount through which a file was opened (proc_pid_fdinfo(5)).
    private static func mount(in information: [UInt8]) -> String? {
        String(decoding: information, as: UTF8.self).split(separator: "\n").compactMap { line -> String? in
            let parts = line.split(separator: ":")
            return parts.count == 2 && parts[0] == "mnt_id" ? parts[1].filter(\.isNumber) : nil
        }.first
    }
}
