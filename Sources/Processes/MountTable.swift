// SPDX-License-Identifier: Apache-2.0

package import Files
internal import Glibc

/// The mounts that a process sees, as `/proc/<pid>/mountinfo` lists them (proc_pid_mountinfo(5)).
package struct MountTable: Sendable {
    package struct Mount: Sendable, Equatable {
        /// The mount's number in `mnt_id` of `/proc/<pid>/fdinfo`.
        package let id: String
        /// The major and minor number of the device, such as `254:0`.
        package let device: String
        /// The folder of the file system that is mounted here, as a path inside the file system.
        package let root: String
        /// The absolute path of the mount point, in printable form (`String(printableName:)`).
        package let path: String
        /// The file system's type, such as `tmpfs`.
        package let type: String
        /// Whether nothing can be written through this mount.
        package let isReadOnly: Bool
        /// The options of the file system itself, such as `noswap`.
        package let options: [Substring]
    }

    /// What stores the files of a file system.
    package enum Backing: Sendable {
        /// The kernel, which generates them. No user can leave data in such a file, but a user can leave control groups
        /// behind, in a group that was delegated to the user (`cgroup2`). Nobody looks for the names of these groups.
        case kernel
        /// This machine.
        case machine
        /// Another machine, a program, or unknown, because the type is in neither list. Reading a file could block
        /// forever.
        case other
    }

    package let mounts: [Mount]

    /// The mounts that can be seen. If several file systems are mounted at one path, only the last one can be seen.
    package var visible: [Mount] {
        Dictionary(mounts.map { ($0.path, $0) }) { $1 }.values.sorted { $0.path < $1.path }
    }

    /// Reads the table of a process; by default, of this process.
    ///
    /// - Throws: ``FileError``, with `ENOENT` if the process is gone.
    package static func read(of process: Int32? = nil) throws(FileError) -> MountTable {
        let path = "/proc/\(process.map(String.init) ?? "self")/mountinfo"
        guard let text = try AtomicFile(path: path).read() else { throw FileError(.open, errno: ENOENT, path: path) }
        return MountTable(text: String(decoding: text, as: UTF8.self))
    }

    /// Reads the table's text. Skips lines that do not have the documented form.
    package init(text: String) {
        mounts = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            guard let dash = fields.firstIndex(of: "-"), dash >= 6, fields.count >= dash + 4 else { return nil }
            return Mount(
                id: String(fields[0]), device: String(fields[2]), root: Self.plain(fields[3]),
                path: Self.plain(fields[4]),
                type: String(fields[dash + 1]),
                isReadOnly: [fields[5], fields[dash + 3]].contains { $0.split(separator: ",").contains("ro") },
                options: fields[dash + 3].split(separator: ","))
        }
    }

    /// Replaces the octal escapes that the kernel writes for white space and backslashes.
    private static func plain(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(printableName: bytes)
    }
}

extension MountTable.Mount {
    /// None of these types may begin with `fuse.`: the program that mounts such a file system chooses the rest of the
    /// type.
    private static let kernelTypes: Set<String> = [
        "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "cpuset", "debugfs", "devpts", "devtmpfs",
        "efivarfs", "fusectl", "nfsd", "nsfs", "proc", "pstore", "resctrl", "rpc_pipefs", "securityfs", "selinuxfs",
        "smackfs", "sysfs", "tracefs",
    ]
    private static let machineTypes: Set<String> = [
        "aufs", "bcachefs", "btrfs", "cramfs", "ecryptfs", "erofs", "exfat", "ext2", "ext3", "ext4", "f2fs", "hfs",
        "hfsplus", "hugetlbfs", "iso9660", "jffs2", "jfs", "minix", "mqueue", "msdos", "nilfs2", "ntfs", "ntfs3",
        "overlay", "ramfs", "reiserfs", "romfs", "rootfs", "squashfs", "tmpfs", "ubifs", "udf", "vfat", "xfs", "zfs",
    ]

    /// Whether the path is this mount point, or lies below it.
    package func contains(_ path: String) -> Bool {
        self.path == "/" || self.path == path || path.hasPrefix(self.path + "/")
    }

    package var backing: MountTable.Backing {
        if Self.kernelTypes.contains(type) { return .kernel }
        return Self.machineTypes.contains(type) ? .machine : .other
    }
}
