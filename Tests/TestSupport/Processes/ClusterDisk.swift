// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc
internal import Processes
internal import UnixSocket

/// A small disk for files of a PostgreSQL server: a file system in memory, in a mount namespace (mount_namespaces(7))
/// that is visible only to programs started through ``entrance``. For an ordinary user, the mount namespace is inside a
/// user namespace (user_namespaces(7)).
package final class ClusterDisk: Sendable {
    private let holder: ChildProcess
    /// The disk's folder, as this process sees it (proc(5)).
    let folder: String
    /// The command through which a program is started so that it sees the disk.
    let entrance: [String]

    /// Mounts the disk over an existing folder.
    ///
    /// - Parameter owner: the user of the disk, if this process runs as root.
    init(over path: String, megabytes: Int, owner: UInt32?) throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw TestProblem("pipe: error \(errno)") }
        let reader = Descriptor(owning: ends[0])
        var writer: Descriptor? = Descriptor(owning: ends[1])
        let script = """
            mount -t tmpfs -o "size=$1m,mode=700$2" baton-small-disk "$0"
            echo mounted
            exec sleep 3600
            """
        holder = try ChildProcess.spawnBound(
            through: ["/usr/bin/unshare"] + (owner == nil ? ["--user", "--map-root-user"] : [])
                + ["--mount", "--propagation", "private", "--"],
            executable: "/bin/sh",
            arguments: ["-ec", script, path, "\(megabytes)", owner.map { ",uid=\($0),gid=\($0)" } ?? ""],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
            descriptors: writer.map { [($0, as: STDOUT_FILENO)] } ?? [])
        let target = ["/usr/bin/nsenter", "--target", "\(holder.pid)", "--mount"]
        entrance =
            owner == nil
            // PostgreSQL refuses to run as root, so a second user namespace gives the user its own number again.
            ? target + ["--user", "--preserve-credentials", "--", "/usr/bin/unshare", "--user"]
                + ["--map-user=1000", "--map-group=1000", "--"]
            : target + ["--"]
        folder = "/proc/\(holder.pid)/root\(path)"
        // If the mount fails, the pipe has no writer left.
        writer = nil
        var byte: UInt8 = 0
        guard reader.withNumber({ unsafe read($0, &byte, 1) }) == 1 else {
            throw TestProblem("no disk could be mounted over \(path)")
        }
    }

    /// Takes all space that is left.
    package func fill() throws {
        let file = unsafe clinux_open(folder + "/filler", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw TestProblem("the disk cannot be filled: error \(-file)") }
        defer { close(file) }
        for size in [1 << 20, 4096] {
            let zeros = [UInt8](repeating: 0, count: size)
            while unsafe write(file, zeros, size) > 0 {}
            guard errno == ENOSPC else { throw TestProblem("the disk cannot be filled: error \(errno)") }
        }
    }

    /// Gives the space back.
    package func free() throws {
        guard unsafe unlink(folder + "/filler") == 0 else { throw TestProblem("the disk is not full: error \(errno)") }
    }

    /// Removes the disk, which no program may use any more.
    func remove() {
        holder.kill()
        _ = try? holder.waitForExit()
    }
}
