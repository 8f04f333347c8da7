// SPDX-License-Identifier: Apache-2.0
import BrowserWindows
import Files
import Foundation
import Subprocess
import TestSupport
import Testing
import UnixSocket

/// Programs that bubblewrap confines as it confines browsers.
@Suite struct ConfinedProcessTests {
    private static let megabyte = 1 << 20

    private func confinement() -> Confinement {
        Confinement(
            memory: .init(home: Self.megabyte, temporary: 2 * Self.megabyte, shared: 3 * Self.megabyte))
    }

    /// Runs a shell script inside and returns what it prints.
    private func run(_ script: String, in confinement: Confinement) async throws -> [String] {
        let words = try confinement.words(for: ["/bin/sh", "-c", script])
        let result = try await Subprocess.run(
            .name("bwrap"), arguments: .init(Array(words.dropFirst())),
            environment: .custom(["PATH": "/usr/bin:/bin"]), output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20))
        #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
        return result.standardOutput.split(separator: "\n").map(String.init)
    }

    @Test func `a confined program sees what it was shown, and can write to its own folders only`() async throws {
        try await Scratch.with { scratch in
            try scratch.write("content", to: "shown")
            try scratch.write("secret", to: "hidden")
            let socket = try NoticeSocket(path: scratch.path("socket"))
            var confinement = confinement()
            confinement.show(scratch.path("shown"))
            confinement.show(scratch.path("shown"), at: "/etc/chromium/policies/managed/baton.json")
            confinement.show(socket.path)
            confinement.showIfThere(scratch.path("missing"))
            let script = """
                cat \(scratch.path("shown")) && echo
                cat /etc/chromium/policies/managed/baton.json && echo
                ls \(scratch.path)
                for place in \(scratch.path("shown")) /etc/chromium/policies/managed/baton.json \\
                    /new /etc/new /usr/new /dev/new /run/new /usr/share/applications/new; do
                    (echo changed >"$place") 2>/dev/null && echo "wrote $place"
                done
                for folder in \(Confinement.home) \(Confinement.temporary) \(Confinement.runtime) /dev/shm; do
                    echo text >"$folder/new" && cat "$folder/new"
                done
                """
            let lines = try await run(script, in: confinement)
            #expect(lines == ["content", "content", "shown", "socket", "text", "text", "text", "text"])
            #expect(try textOfFile(scratch.path("shown")) == "content")
        }
    }

    @Test func `what prints into files is withheld on every machine type, and nothing starts if that is unknown`()
        async throws
    {
        try await Scratch.with { scratch in
            for machine in ["aarch64-linux-gnu", "i386-linux-gnu", "python3"] {
                try FileManager.default.createDirectory(
                    atPath: scratch.path(machine), withIntermediateDirectories: true)
            }
            #expect(try VisibleSystemFiles.modules(in: scratch.path).count == 8)
            try scratch.write("a file", to: "unlisted")
            #expect(throws: FileError.self) { try VisibleSystemFiles.modules(in: scratch.path("unlisted")) }
        }
    }

    @Test func `a confined program sees no other process, and no socket or folder of the machine`() async throws {
        let script = """
            for process in /proc/[0-9]*; do [ -e "$process/cmdline" ] && echo process; done | sort | uniq -c
            ls /run /home /var 2>/dev/null
            for path in /root /srv /mnt /run/dbus /run/systemd /tmp/.X11-unix /var/run /var/lib /etc/shadow /etc/baton; do
                [ -e "$path" ] && echo "$path"
            done
            echo end
            """
        let lines = try await run(script, in: confinement())
        // The visible processes are bubblewrap's own first process, the shell, and those of the pipeline that counts
        // them.
        #expect(lines.first.flatMap { Int($0.split(separator: " ")[0]) }.map { $0 <= 5 } == true, "\(lines)")
        #expect(
            lines.dropFirst().filter { !["user", "browser", "cache"].contains($0) && !$0.hasSuffix(":") } == ["end"],
            "\(lines)")
    }

    @Test func `a confined program sees nothing that was installed by hand, unless it was shown`() async throws {
        var confinement = confinement()
        // Every Debian system has this folder.
        confinement.show("/usr/local/bin")
        let script = """
            for folder in /home /root /opt /srv /mnt /media /var/* /usr/src /usr/local /usr/local/share; do
                ls "$folder" 2>/dev/null | sed "s|^|$folder/|"
            done
            for folder in /usr/local /usr/local/share /usr/local/bin /usr/src; do
                (echo >"$folder/new") 2>/dev/null && echo "wrote $folder"
            done
            echo end
            """
        let seen = try await Set(run(script, in: confinement))
        let expected: Set = [
            "/var/cache/fontconfig", "/usr/local/bin", "/usr/local/share", "/usr/local/share/fonts",
            "/usr/local/share/ca-certificates", "end",
        ]
        #expect(seen.subtracting(expected) == [])
        #expect(seen.isSuperset(of: ["/usr/local/bin", "/usr/local/share"]))
    }

    @Test func `a confined program cannot list the folders above its own`() async throws {
        let script = """
            for folder in / /home; do ls "$folder" 2>/dev/null && echo "listed $folder"; done
            ls -A \(Confinement.home) && echo own
            """
        #expect(try await run(script, in: confinement()) == ["own"])
    }

    @Test func `a confined program has no capability, and cannot make what it sees writable`() async throws {
        try await Scratch.with { scratch in
            try scratch.write("content", to: "shown")
            var confinement = confinement()
            confinement.show(scratch.path("shown"))
            let script = """
                grep -E '^Cap(Prm|Eff)' /proc/self/status
                for place in \(scratch.path("shown")) /usr /etc /; do
                    mount -o remount,rw,bind "$place" 2>/dev/null && echo "remounted $place"
                done
                unshare --user --map-root-user --mount mount -o remount,rw,bind \(scratch.path("shown")) 2>/dev/null \\
                    && echo "remounted in a namespace"
                echo end
                """
            let lines = try await run(script, in: confinement)
            #expect(lines == ["CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "end"])
        }
    }

    @Test func `the folders of a confined program are limited`() async throws {
        let script = """
            for folder in \(Confinement.home) \(Confinement.temporary) /dev/shm; do
                dd if=/dev/zero of=$folder/file bs=65536 count=1024 2>/dev/null
                stat --format %s $folder/file
            done
            """
        let sizes = try await run(script, in: confinement()).compactMap { Int($0) }
        #expect(sizes == [1, 2, 3].map { $0 * Self.megabyte })
    }

    @Test func `a confined program finds no program that starts others`() async throws {
        let script = """
            for program in xdg-open xdg-email gio; do [ -x "/usr/bin/$program" ] && echo "$program"; done
            ls /usr/share/applications /usr/share/dbus-1/services 2>/dev/null | grep -F .
            echo end
            """
        let lines = try await run(script, in: confinement())
        #expect(lines.filter { !$0.hasSuffix(":") } == ["end"])
    }

    @Test func `a confined program finds no module of the print dialog that prints into a file`() async throws {
        let found = try await run(
            "find /usr/lib -path '*/printbackends/*' -name '*-file.so' -printf '%s %p\\n'", in: confinement())
        #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("0 ") }, "\(found)")
    }
}
