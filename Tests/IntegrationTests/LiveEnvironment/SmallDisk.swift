// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The device's state on a separate small disk: a file system in memory, in a mount namespace (mount_namespaces(7))
/// that no other process sees. Only root can make this disk; for other users the call fails.
struct SmallDisk {
    private let live: LiveEnvironment
    private let holder: RunningProgram

    /// Moves the state to the small disk. The broker must not be running.
    init(_ live: LiveEnvironment) async throws {
        self.live = live
        let folder = live.path("disk")
        try FileManager.default.createDirectory(atPath: folder + "/real", withIntermediateDirectories: true)
        let script = """
            mount --bind "$0" "$1/real"
            mount -t tmpfs -o size=8m,mode=700 baton-small-disk "$0"
            tar -C "$1/real" --exclude=./management/apps -cf - . | tar -C "$0" -xpf -
            mkdir -p "$0/management/apps"
            mount --bind "$1/real/management/apps" "$0/management/apps"
            mkdir "$1/mounted"
            exec sleep 3600
            """
        holder = try await live.runAside(
            program: "/usr/bin/unshare",
            ["--mount", "--propagation", "private", "/bin/sh", "-ec", script, live.path("device"), folder])
        let watched = folder
        do {
            try await FolderWatch(folder).until("mounted") {
                FileManager.default.fileExists(atPath: watched + "/mounted")
            }
        } catch { throw TestProblem("no disk could be mounted: \(error)\n\(try holder.log())") }
    }

    /// A process whose root (proc(5)) shows the disk.
    var holderPID: Int32 { holder.pid }

    /// The command through which a program is started so that it sees the disk.
    var entrance: [String] { ["/usr/bin/nsenter", "--mount=/proc/\(holder.pid)/ns/mnt", "--"] }

    /// Fills the remaining space.
    func fill() async throws {
        try await run(#"dd if=/dev/zero of="$0/filler" bs=4096 2>/dev/null || true"#)
    }

    func free() async throws { try await run(#"rm -f "$0/filler""#) }

    func setReadOnly(_ isReadOnly: Bool) async throws {
        try await run(#"mount -o remount,"# + (isReadOnly ? "ro" : "rw") + #" "$0""#)
    }

    /// Moves the state back and removes the disk.
    func giveBack() async throws {
        try await run(
            #"""
            cd "$1/real"
            find . -mindepth 1 -maxdepth 1 ! -name management -exec rm -rf {} +
            find management -mindepth 1 -maxdepth 1 ! -name apps -exec rm -rf {} +
            tar -C "$0" --exclude=./management/apps -cf - . | tar -C . -xpf -
            """#)
        holder.kill()
        try await holder.waitForExit()
        try FileManager.default.removeItem(atPath: live.path("disk"))
    }

    private func run(_ script: String) async throws {
        let words = ["/bin/sh", "-ec", script, live.path("device"), live.path("disk")]
        try await live.run(entrance[0], arguments: Array(entrance.dropFirst()) + words)
    }
}
