// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Processes
import TestSupport
import Testing

/// Exports that are interrupted: no incomplete file may look complete.
@Suite(.timeLimit(.minutes(15))) struct ExportCommandTests {
    /// The exports, as arguments of `baton admin`.
    enum Export: CaseIterable, CustomTestStringConvertible {
        case user, audit, devices

        var words: [String] {
            switch self {
            case .user: ["user", "export", "u@a.test"]
            case .audit: ["audit", "export", "--from", "2020-01-01"]
            case .devices: ["audit", "export", "--from", "2020-01-01", "--devices"]
            }
        }

        var testDescription: String { words.joined(separator: " ") }
    }

    /// Runs a server whose exports have at least about 5 KiB. When the server stops, it gives running requests as long
    /// as they need, even on a busy machine.
    private func withServer(_ body: (AdminServer) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let server = try ServerProcess(["requestDeadline": 600], in: scratch)
            let admin = AdminServer(server: server, scratch: scratch)
            try await admin.server.start()
            _ = try admin.server.create("tenants", ["displayName": "A", "domain": "a.test"])
            let user = try admin.server.create(
                "tenants/-/users",
                ["userPrincipalName": "u@a.test", "displayName": "U", "password": "long enough"])
            for number in 0..<40 {
                // The log has only what changes something.
                let change = #"{"accountEnabled":\#(number % 2 == 1)}"#
                let person = "/identity/tenants/-/users/\(user)"
                #expect(try admin.server.administer("PATCH", person, change).status == 204)
                let enrollment = #"{"name":"tablet \#(number)"}"#
                #expect(try admin.server.administer("POST", "/mdm/tenants/-/enrollments", enrollment).status == 201)
            }
            try await body(admin)
        }
    }

    /// Starts a proxy that passes on only the first 3000 bytes of each of the server's answers
    /// (Tests/Proxies/truncating_proxy.py).
    /// Returns the folder for `--server`, and the proxy.
    private func half(_ how: String, of admin: AdminServer) async throws -> (folder: String, proxy: RunningProgram) {
        let folder = admin.scratch.path("half")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let proxy = try await RunningProgram.start(
            "/usr/bin/python3",
            [
                "-u", Repository.root + "/Tests/Proxies/truncating_proxy.py", folder + "/admin.sock",
                admin.server.state + "/admin.sock", "3000", how,
            ], log: "half.log", in: admin.scratch)
        return (folder, proxy)
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// A new folder for exports.
    private func target(in scratch: Scratch) throws -> String {
        let folder = scratch.path("exports-\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        return folder
    }

    @Test func `an export becomes a private file with the same lines, and never replaces a file`() async throws {
        try await withServer { admin in
            for export in Export.allCases {
                let folder = try target(in: admin.scratch)
                let file = folder + "/export.jsonl"
                // An interrupted export may have left this file.
                try Data("half".utf8).write(to: URL(filePath: file + ".partial"))
                let printed = try await admin.run(export.words)
                let run = try await admin.run(export.words + ["--output", file])
                #expect(run.code == 0 && run.errors.isEmpty, "\(run)")
                let lines = try textOfFile(file).split(separator: "\n")
                #expect(run.output == "\(lines.count) lines are in \(file).\n")
                // The audit entry of the first export is in the second one.
                #expect(lines.count == printed.output.split(separator: "\n").count + 1)
                #expect(lines.count > 20)
                #expect(try names(folder) == ["export.jsonl"] && mode(file) == 0o600)

                let before = try Data(contentsOf: URL(filePath: file))
                let again = try await admin.run(export.words + ["--output", file])
                #expect(again.code == 1 && again.errors.contains("[export_exists]"), "\(again)")
                #expect(try Data(contentsOf: URL(filePath: file)) == before && names(folder) == ["export.jsonl"])
            }
        }
    }

    @Test(arguments: Export.allCases, ["cut", "end"])
    func `half an export leaves no file, and is reported if the output was redirected`(
        export: Export, how: String
    ) async throws {
        try await withServer { admin in
            let (server, _) = try await half(how, of: admin)
            let folder = try target(in: admin.scratch)
            let words = ["admin"] + export.words + ["--server", server]
            let run = try await CommandRun(words + ["--output", folder + "/export.jsonl"], in: admin.scratch)
            #expect(run.code == 1 && run.errors.contains("[export_incomplete]") && run.output.isEmpty, "\(run)")
            #expect(try names(folder) == [])

            let printed = folder + "/printed.jsonl"
            let redirected = try await CommandRun(words + ["--json"], to: printed, in: admin.scratch)
            #expect(redirected.code == 1)
            #expect(try CommandRun.Failure(redirected.errors).error.code == "export_incomplete")
            // Only whole lines were printed. The HTTP client may notice the cut before it has passed on the bytes that
            // arrived earlier.
            let text = try textOfFile(printed)
            #expect(text.hasSuffix("}\n") || how == "cut" && text.isEmpty, "\(text.suffix(100))")
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal leaves no file, and the exit code names it`(signal: Int32) async throws {
        try await withServer { admin in
            let (server, _) = try await half("hold", of: admin)
            let folder = try target(in: admin.scratch)
            let watch = try FolderWatch(folder)
            let (program, errors) = try await CommandRun.start(
                ["admin"] + Export.user.words + ["--server", server, "--output", folder + "/export.jsonl"],
                in: admin.scratch)
            let draft = folder + "/export.jsonl.partial"
            try await watch.until("begun") {
                try FileManager.default.fileExists(atPath: draft) && !textOfFile(draft).isEmpty
            }
            #expect(try names(folder) == ["export.jsonl.partial"] && mode(draft) == 0o600)
            program.send(signal)
            #expect(try await program.waitForExit() == 128 + signal)
            let text = try textOfFile(errors)
            #expect(text.contains("[export_interrupted]") && text.contains("was not written"), "\(text)")
            #expect(try names(folder) == [])
        }
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `a server that is killed leaves no file, and a server that stops completes the export`(
        signal: Int32
    ) async throws {
        try await withServer { admin in
            // The export becomes larger than the sockets' buffers.
            try await admin.seed(
                """
                identity.execute("BEGIN")
                for place in range(5000):
                    insert(identity, "audit", tenant=tenant, position=place, time=now, actor=person, action="x" * 200,
                           outcome="done", repetitions=1)
                identity.execute("COMMIT")
                """)
            let folder = try target(in: admin.scratch)
            let (file, draft) = (folder + "/export.jsonl", folder + "/export.jsonl.partial")
            let watch = try FolderWatch(folder)
            let (server, proxy) = try await half("hold", of: admin)
            let words = ["admin"] + Export.user.words + ["--output", file]
            let (program, errors) = try await CommandRun.start(words + ["--server", server], in: admin.scratch)
            try await watch.until("begun") {
                try FileManager.default.fileExists(atPath: draft) && !textOfFile(draft).isEmpty
            }
            try admin.server.signal(signal)
            if signal == SIGKILL { #expect(try await admin.server.ends() == -SIGKILL) }
            proxy.send(SIGUSR1)
            let (code, text) = (try await program.waitForExit(), try textOfFile(errors))
            if signal == SIGKILL {
                #expect(code == 1 && text.contains("[export_incomplete]"), "\(code): \(text)")
                #expect(try names(folder) == [])
            } else {
                #expect(code == 0 && text.isEmpty, "\(code): \(text)")
                #expect(try textOfFile(file).split(separator: "\n").count > 5000)
                #expect(try await admin.server.ends() == 0)
            }
        }
    }

    @Test func `a full disk leaves no file and is reported`() async throws {
        try await withServer { admin in
            for export in Export.allCases {
                let full = try await CommandRun(
                    ["admin"] + export.words + ["--server", admin.server.state, "--json"], to: "/dev/full",
                    in: admin.scratch)
                #expect(full.code == 1)
                #expect(try CommandRun.Failure(full.errors).error.code == "output_unwritten")
            }
            // A disk of one page, which only this shell and its programs see. The export needs two pages.
            let folder = try target(in: admin.scratch)
            let script = """
                mount -t tmpfs -o size=4k baton-small-disk "$0"
                "$@" --output "$0/export.jsonl" 2>"$0.errors" && exit 99
                code=$?
                ls -A "$0" >"$0.names"
                exit "$code"
                """
            let shell = try await RunningProgram.start(
                "/usr/bin/unshare",
                [
                    "--mount", "--propagation", "private", "/bin/sh", "-c", script, folder,
                    try RunningProgram.built("baton"), "admin",
                ] + Export.user.words + ["--server", admin.server.state], log: "shell.log", awaitsReady: false,
                in: admin.scratch)
            let code = try await shell.waitForExit()
            let log = try shell.log()
            #expect(code == 1, "\(log)")
            let errors = try textOfFile(folder + ".errors")
            #expect(errors.contains("[file_not_written]") && errors.contains("No space left on device"), "\(errors)")
            #expect(try textOfFile(folder + ".names") == "")
        }
    }

    @Test(arguments: [["--to", "2026-01-01"], ["--to", "2026-02-01"], []])
    func `a period that ends before it begins is refused`(end: [String]) async throws {
        try await Scratch.with { scratch in
            let begin = end.isEmpty ? "2999-01-01" : "2026-02-01"
            let run = try await CommandRun(
                ["admin", "audit", "export", "--server", scratch.path("none"), "--from", begin] + end, in: scratch)
            #expect(run.code == 64 && run.errors.contains("--from must be earlier than"), "\(run)")
        }
    }

    @Test func `a folder that does not exist is reported before anything is exported`() async throws {
        try await withServer { admin in
            let file = admin.scratch.path("nowhere/export.jsonl")
            let run = try await admin.run(Export.user.words + ["--output", file])
            #expect(run.code == 1 && run.errors.contains("[file_not_written]"), "\(run)")
            let audited = try await admin.done("audit", "list")
            #expect(!audited.contains("user.export"))
        }
    }
}
