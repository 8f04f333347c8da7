// SPDX-License-Identifier: Apache-2.0

/// A mount namespace (mount_namespaces(7)). Mounts of other tests do not appear in it, and its own appear nowhere else.
/// Needs root.
package struct MountNamespace: Sendable {
    /// The command through which a program is started in the namespace.
    package let entrance: [String]
    private let scratch: Scratch

    /// The namespace ends with this program and those that were started in it.
    private static let holder = """
        import os, signal, socket
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
        signal.pause()
        """

    /// Makes a namespace that exists until the end of the test.
    package init(in scratch: Scratch) async throws {
        let holder = try await RunningProgram.start(
            "/usr/bin/unshare", ["--mount", "--propagation", "private", "/usr/bin/python3", "-c", Self.holder],
            log: "mounts.log", in: scratch)
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

    /// Mounts a file system (FUSE) at this path whose program never answers.
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
