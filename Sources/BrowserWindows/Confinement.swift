// SPDX-License-Identifier: Apache-2.0
package import Files
internal import Glibc
internal import Processes
package import UnixSocket

/// The confinement of one window's browser: a sandbox of bubblewrap (bwrap(1)), which needs no privileges.
///
/// Inside, the system's programs and settings are read-only, no other process is visible, and every folder that the
/// browser may write to is in memory, with a limit. These folders vanish with the last process of the sandbox. Anything
/// else exists inside only if it was added to this value. The network, if there is one, is the machine's own, so
/// abstract sockets and ports of 127.0.0.1 can be reached.
package struct Confinement: Sendable, Equatable {
    /// The maximum number of bytes that the browser can write to each folder.
    package struct Memory: Sendable, Equatable {
        package var home: Int
        package var temporary: Int
        package var shared: Int

        package init(home: Int, temporary: Int, shared: Int) {
            (self.home, self.temporary, self.shared) = (home, temporary, shared)
        }
    }

    /// A file or folder that appears at another path inside.
    private struct Mount: Sendable, Equatable {
        let source: String
        let target: String
    }

    /// A file that is on no disk.
    private struct Content: Sendable, Equatable {
        let bytes: [UInt8]
        let target: String
    }

    package static let program = "/usr/bin/bwrap"
    /// The browser's home folder.
    package static let home = "/home/browser"
    /// The browser's folder for temporary files.
    package static let temporary = "/tmp"
    /// The browser's runtime folder (XDG Base Directory Specification).
    package static var runtime: String { "/run/user/\(getuid())" }
    private static let runtimeBytes = 16 << 20

    private let memory: Memory
    /// Whether the browser can use the network.
    private let hasNetwork: Bool
    private var mounts: [Mount] = []
    /// Paths that are left out if they do not exist.
    private var optional: [String] = []
    /// Folders of the system that are empty inside.
    private var hidden: [String] = []
    private var devices: [String] = []
    private var contents: [Content] = []
    private var variables: [String: String] = [:]

    /// Runs a program without standard error, because the process's standard error is for ``BubblewrapWords``.
    private static let quiet = ["/bin/sh", "-c", #"exec "$@" 2>/dev/null"#, "sh"]

    /// The number of the first descriptor with the content of a file.
    private static let firstDescriptor: Int32 = 10

    package init(memory: Memory, hasNetwork: Bool = true) { (self.memory, self.hasNetwork) = (memory, hasNetwork) }

    /// Lets the browser read a file or folder, or connect to a socket, at the path that it has outside.
    package mutating func show(_ path: String) { show(path, at: path) }

    /// Lets the browser read a file or folder at another path, whatever exists at that path outside.
    package mutating func show(_ path: String, at target: String) { mounts.append(Mount(source: path, target: target)) }

    /// As ``show(_:)``, but leaves the path out if nothing is there, or if this user may not read it.
    package mutating func showIfThere(_ path: String) { optional.append(path) }

    /// Shows an empty folder in place of a folder of the system, if that folder exists.
    package mutating func hide(_ folder: String) { hidden.append(folder) }

    /// Lets the browser read this content as a file. bubblewrap receives it through a descriptor and keeps it in memory:
    /// start it with ``descriptors()``.
    package mutating func give(_ content: [UInt8], at target: String) {
        contents.append(Content(bytes: content, target: target))
    }

    /// Sets a variable of the browser's environment.
    package mutating func set(_ variable: String, _ value: String) { variables[variable] = value }

    /// Lets the browser use a device file or a folder of such files if it exists.
    package mutating func allow(device: String) { devices.append(device) }

    /// Returns the command that runs `command` inside.
    ///
    /// - Parameter command: the path of a program inside the sandbox, and its arguments.
    /// - Throws: ``FileError`` if it cannot be determined which parts of the system must be withheld.
    package func words(for command: [String]) throws(FileError) -> [String] {
        [Self.program, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--new-session"]
            + (hasNetwork ? [] : ["--unshare-net"])
            // Started by root, bubblewrap would keep all capabilities, and with them the power to mount.
            + ["--cap-drop", "ALL"]
            + (try VisibleSystemFiles.words())
            + hidden.filter(VisibleSystemFiles.isReadable).flatMap { ["--tmpfs", $0, "--remount-ro", $0] }
            + folders
            + devices.flatMap { ["--dev-bind-try", $0, $0] }
            + optional.filter(VisibleSystemFiles.isReadable).flatMap { ["--ro-bind-try", $0, $0] }
            + mounts.flatMap { ["--ro-bind", $0.source, $0.target] }
            + zip(contents, Self.firstDescriptor...).flatMap { ["--ro-bind-data", String($1), $0.target] }
            + variables.sorted { $0.key < $1.key }.flatMap { ["--setenv", $0.key, $0.value] }
            // A dialog for files begins in the home folder and cannot list the folders above it. A person who types a path
            // still reaches ``VisibleSystemFiles``.
            + ["--chmod", "0111", "/", "--chmod", "0111", "/home"]
            + VisibleSystemFiles.lastWords + ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", Self.home, "--"]
            + Self.quiet + command
    }

    /// Returns the open files that the command needs (``ChildProcess/spawn``), for one start.
    ///
    /// - Throws: ``FileError`` if the process has no descriptor left, or the machine has no memory left.
    package func descriptors() throws(FileError) -> [(Descriptor, as: Int32)] {
        var descriptors: [(Descriptor, as: Int32)] = []
        for (content, number) in zip(contents, Self.firstDescriptor...) {
            descriptors.append((try MemoryFile(holding: content.bytes).descriptor, as: number))
        }
        return descriptors
    }

    /// The kernel's own file systems, and the folders that the browser may write to.
    private var folders: [String] {
        ["--proc", "/proc", "--dev", "/dev"]
            + Self.folder("/dev/shm", memory.shared) + Self.folder(Self.temporary, memory.temporary)
            + Self.folder(Self.home, memory.home) + Self.folder(Self.runtime, Self.runtimeBytes)
    }

    private static func folder(_ path: String, _ bytes: Int) -> [String] {
        ["--perms", "0700", "--size", String(bytes), "--tmpfs", path]
    }
}
