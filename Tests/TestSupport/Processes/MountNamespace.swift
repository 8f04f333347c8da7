// SPDX-License-Identifier: Apache-2.0

/// A mount namespace (mount_namespaces(7)). Mounts of other tests do not appear in it, and its own mounts appear
/// nowhere else. Needs root.
package struct MountNamespace: Sendable {
    /// The command through which a program is started in the namespace.
    package let entrance: [String]
    private let scratch: Scratch

    /// What a namespace shows before the test mounts anything.
    package enum Content {
        /// The machine's mounts.
        case machine
        /// A root of its own: the machine's programs and settings, which are read-only, and the test's scratch folder.
        /// The duration of a search for writable folders then does not depend on the other content of the machine's
        /// disk.
        case ownRoot
    }

    /// The program that keeps the namespace. The namespace ends when this program and those that were started in it
    /// have ended.
    private static let holder = """
        import os, signal, socket
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
        signal.pause()
        """

    /// Makes the root, then runs `holder`. The arguments are the root's path, the scratch folder, and the read-only
    /// folders.
    private static let ownRoot = """
        root=$1 scratch=$2 holder=$3
        shift 3
        mkdir "$root"
        mount -t tmpfs -o size=16m,mode=755 root "$root"
        cd "$root"
        mkdir -p usr etc proc dev sys run/lock mnt home var/backups var/tmp tmp former
        chmod 1777 run/lock var/tmp tmp
        for link in bin sbin lib lib64; do cp -P "/$link" .; done
        for folder in proc dev sys; do mount --rbind "/$folder" "$folder"; done
        mount -t tmpfs -o size=16m,mode=1777 shared dev/shm
        for folder in /usr /etc "$@"; do
            mkdir -p ".$folder"
            mount --bind "$folder" ".$folder"
            mount -o remount,bind,ro ".$folder"
        done
        mkdir -p ".$scratch"
        mount --bind "$scratch" ".$scratch"
        pivot_root . former
        umount -l former
        rmdir former
        cd /
        exec /usr/bin/python3 -c "$holder"
        """

    /// Makes a namespace that exists until the end of the test.
    package init(_ content: Content = .machine, in scratch: Scratch) async throws {
        let command =
            switch content {
            case .machine: ["/usr/bin/python3", "-c", Self.holder]
            case .ownRoot:
                ["/bin/sh", "-ec", Self.ownRoot, "sh", scratch.path("root"), scratch.path, Self.holder]
                    + [try RunningProgram.folder()] + (try RunningProgram.libraries())
            }
        let holder = try await RunningProgram.start(
            "/usr/bin/unshare", ["--mount", "--propagation", "private"] + command, log: "mounts.log", in: scratch)
        entrance = ["/usr/bin/nsenter", "--mount=/proc/\(holder.pid)/ns/mnt", "--"]
        self.scratch = scratch
    }

    /// Runs a shell script in the namespace.
    package func run(_ script: String) async throws {
        let shell = try await RunningProgram.start(
            entrance[0], Array(entrance.dropFirst()) + ["/bin/sh", "-ec", script], log: "mounting.log",
            awaitsReady: false, in: scratch)
        guard try await shell.waitForExit() == 0 else { throw TestProblem(try shell.log()) }
    }

    /// Gives one new file this many names in a folder. Separate files would need more memory.
    package func makeLinks(_ count: Int, below folder: String) async throws {
        try await run(
            """
            cd \(folder) && /usr/bin/python3 -c 'import os
            open("1", "w").close()
            for name in range(2, \(count) + 1): os.link("1", str(name))'
            """)
    }

    /// Gives `/etc/subuid` (subuid(5)) this line. The namespace gets a copy of `/etc`, because the file may be missing.
    package func giveSubordinates(_ line: String, in scratch: Scratch) async throws {
        let copy = scratch.path("etc")
        try await run(
            """
            [ -d \(copy) ] || { cp -a /etc \(copy); mount --bind \(copy) /etc; }
            rm -f /etc/subuid
            echo '\(line)' >/etc/subuid
            """)
    }

    /// Mounts a FUSE file system at this path. The file system's program never answers.
    package func mountSilent(_ path: String) async throws {
        let script = """
            exec 3<>/dev/fuse
            mount -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 none "$0"
            echo mounted >"$1"
            exec sleep 3600
            """
        let mounted = scratch.path("mounted-\(UInt32.random(in: 0...UInt32.max))")
        let watch = try FolderWatch(scratch.path)
        let program = try await RunningProgram.start(
            entrance[0], Array(entrance.dropFirst()) + ["/bin/sh", "-ec", script, path, mounted], log: "silent.log",
            awaitsReady: false, in: scratch)
        do { try await watch.until("mounted") { (try? textOfFile(mounted)) == "mounted\n" } } catch {
            throw TestProblem("no file system of a silent program: \(error)\n\(try program.log())")
        }
    }
}
