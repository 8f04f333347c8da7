// SPDX-License-Identifier: Apache-2.0
import Processes
import Testing

@Suite struct MountTableTests {
    private func backing(of type: String) throws -> MountTable.Backing {
        let line = "36 35 98:0 / /place rw,noatime shared:1 - \(type) source rw"
        return try #require(MountTable(text: line).mounts.first).backing
    }

    @Test(arguments: [
        "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "overlay", "tmpfs", "ramfs", "squashfs", "erofs", "vfat",
        "exfat", "ntfs3", "iso9660", "udf", "mqueue", "hugetlbfs",
    ])
    func `the file systems of this machine are read`(type: String) throws {
        #expect(try backing(of: type) == .machine)
    }

    @Test(arguments: [
        "proc", "sysfs", "cgroup", "cgroup2", "devpts", "devtmpfs", "bpf", "debugfs", "tracefs", "securityfs",
        "fusectl", "selinuxfs", "binfmt_misc", "nsfs", "autofs", "efivarfs",
    ])
    func `what the kernel makes up is passed over`(type: String) throws {
        #expect(try backing(of: type) == .kernel)
    }

    /// The mounting program chooses what follows `fuse.`.
    @Test(arguments: [
        "fuse", "fuseblk", "fuse.lxcfs", "fuse.sshfs", "fuse.ext4", "fuse.proc", "fuse.fusectl", "nfs", "nfs4", "cifs",
        "smb3", "9p", "virtiofs", "ceph", "afs", "ocfs2", "gfs2", "coda", "orangefs", "vboxsf", "lustre", "ext5", "",
    ])
    func `a file system of a program, of another machine or of an unknown type is not read`(type: String) throws {
        #expect(try backing(of: type) == .other)
    }
}
