// SPDX-License-Identifier: Apache-2.0
import Glibc
import Processes
import Redaction
import Testing
import UnixSocket

@Suite struct ChildProcessTests {
    @Test func `a child that ends by itself returns its code, however often it is requested`() throws {
        let child = try ChildProcess.spawn(executable: "/bin/sh", arguments: ["-c", "exit 7"], environment: [:])
        #expect(try child.waitForExit() == .exited(7))
        #expect(try child.waitForExit() == .exited(7))
    }

    @Test func `a killed child is gone from the process table once its exit was awaited`() throws {
        let child = try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["600"], environment: [:])
        #expect(kill(child.pid, 0) == 0)
        child.kill()
        #expect(try child.waitForExit() == .signalled(SIGKILL))
        #expect(kill(child.pid, 0) == -1 && errno == ESRCH)
        child.kill()
    }

    @Test func `two threads may await the same child`() async throws {
        let child = try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["600"], environment: [:])
        async let first = Task.detached { try child.waitForExit() }.value
        async let second = Task.detached { try child.waitForExit() }.value
        child.kill()
        #expect(try await first == .signalled(SIGKILL))
        #expect(try await second == .signalled(SIGKILL))
    }

    @Test func `a missing program is an error, not a child that fails`() {
        #expect(throws: ProcessFailure(step: .spawn, errno: ENOENT)) {
            try ChildProcess.spawn(executable: "/nonexistent/program", arguments: [], environment: [:])
        }
    }

    @Test func `descriptors get the chosen numbers, even if the numbers overlap`() throws {
        let (firstNear, firstFar) = try FrameConnection.pair(maximumFrame: 64)
        let (secondNear, secondFar) = try FrameConnection.pair(maximumFrame: 64)
        let numbers = [firstFar, secondFar].map { $0.descriptor.withNumber { $0 } }
        let script = "printf '\\000\\000\\000\\001a' >&\(numbers[1]); printf '\\000\\000\\000\\001b' >&\(numbers[0])"
        let child = try ChildProcess.spawn(
            executable: "/bin/bash", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin"],
            descriptors: [(firstFar.descriptor, as: numbers[1]), (secondFar.descriptor, as: numbers[0])])
        #expect(try firstNear.read().body == SecretBytes(copying: Array("a".utf8)))
        #expect(try secondNear.read().body == SecretBytes(copying: Array("b".utf8)))
        #expect(try child.waitForExit().isSuccess)
    }

    @Test func `a child has only the files that it was given, and none that lack close-on-exec`() throws {
        let leaking = dup(2)
        defer { close(leaking) }
        let (near, far) = try FrameConnection.pair(maximumFrame: 4096)
        let listing = """
            for n in {0..255}; do [ -e /proc/self/fd/$n ] && names="$names $n"; done
            printf '\\000\\000\\000\\010%s' "$names" >&9
            """
        let child = try ChildProcess.spawn(
            executable: "/bin/bash", arguments: ["-c", listing], environment: [:],
            descriptors: [(far.descriptor, as: 9)])
        #expect(try near.read().body == SecretBytes(copying: Array(" 0 1 2 9".utf8)))
        #expect(try child.waitForExit().isSuccess)
    }

    @Test func `a child leads its own group and has only the given environment`() throws {
        let script = """
            set -e
            [ "$(ps -o pgid= -p $$ | tr -d ' ')" = $$ ]
            [ "$(tr '\\000' '\\n' </proc/$$/environ | sort)" = "$(printf 'BATON=one\\nPATH=/usr/bin:/bin')" ]
            """
        let child = try ChildProcess.spawn(
            executable: "/bin/sh", arguments: ["-c", script],
            environment: ["PATH": "/usr/bin:/bin", "BATON": "one"])
        #expect(try child.waitForExit() == .exited(0))
    }

    // The threads library reserves signals 32 and 33, so they cannot be reset.
    @Test(arguments: ["^SigIgn:.0{7}[01][08]0{7}$", "^SigBlk:.0+$"])
    func `a child starts with default signals, none of them blocked`(pattern: String) throws {
        signal(SIGPIPE, SIG_IGN)
        let child = try ChildProcess.spawn(
            executable: "/bin/grep", arguments: ["-Eq", pattern, "/proc/self/status"], environment: [:])
        #expect(try child.waitForExit() == .exited(0))
    }
}
