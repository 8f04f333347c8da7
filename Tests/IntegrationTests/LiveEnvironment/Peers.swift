// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import TestSupport

/// Real processes that send the broker one client's request, each in its own way.
struct Peers {
    private let socket: String
    private let scratch: Scratch
    private let frames: String
    private let script: String
    /// The path of a copy of the interpreter. The copy has the file name of the app's own program, but the broker must
    /// not mistake the copy for the app.
    private let program: String

    /// - Parameters:
    ///   - socket: the path of the broker's socket.
    ///   - clientID: the client id that the processes present.
    ///   - operation: what the processes request.
    init(
        _ socket: String, _ clientID: String, _ scratch: Scratch, _ operation: BrokerProtocol.Operation = .getAccounts
    ) async throws {
        self.socket = socket
        self.scratch = scratch
        let messages: [ClientMessage] = [
            .hello(ClientHello(clientName: "peer", clientVersion: "1")),
            .request(
                Request(
                    id: "1", operation: operation, parameters: ClientRequest(clientID: clientID).entries,
                    isSilent: true)),
        ]
        var bytes = Data()
        for message in messages.map(\.bytes) {
            unsafe withUnsafeBytes(of: UInt32(message.count).bigEndian) { unsafe bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: message)
        }
        frames = scratch.path("frames-\(UInt32.random(in: 0...UInt32.max))")
        try bytes.write(to: URL(filePath: frames))
        script = scratch.path("peer.py")
        program = scratch.path("rounds")
        for (from, to) in [(Repository.root + "/Tests/Peer/peer.py", "peer.py"), (Self.interpreter, "rounds")]
        where !FileManager.default.fileExists(atPath: scratch.path(to)) {
            try scratch.install(from, as: to)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: frames)
    }

    private static let interpreter = URL(filePath: "/usr/bin/python3").resolvingSymlinksInPath().path

    /// Starts a process that forges an app's identity. Returns when the forgery is in place.
    func start(_ forgery: LiveDevice.AppIdentityTests.Forgery, as bundleID: String) async throws -> RunningProgram {
        switch forgery {
        case .execAfterConnect: return try await python(Self.interpreter, ["exec", program])
        case .replacedExecutable:
            let own = try scratch.install(Self.interpreter, as: "own")
            return try await python(own, ["move", program])
        case .endedProcess: return try await leaving(["leave"])
        case .reusedProcessNumber: return try await leaving(["leave", program])
        case .preloadedLibrary: return try await preloaded()
        case .forgedFlatpakFile: return try await sandboxed(as: bundleID)
        }
    }

    private func leaving(_ words: [String]) async throws -> RunningProgram {
        // The parent process lives as long as its child.
        try await python("/bin/sh", words, before: ["-c", #""$0" "$@" | cat"#, Self.interpreter])
    }

    private func python(
        _ program: String, _ words: [String], before: [String] = []
    ) async throws -> RunningProgram {
        try await RunningProgram.start(
            program, before + [script, socket, frames] + words, environment: ["PYTHONHOME": "/usr"], log: log(),
            in: scratch)
    }

    private func preloaded() async throws -> RunningProgram {
        let library = scratch.path("preloaded.so")
        let compiler = try await RunningProgram.start(
            "/usr/bin/env",
            ["clang", "-shared", "-fPIC", "-o", library, Repository.root + "/Tests/Peer/preloaded.c"],
            log: log(), awaitsReady: false, in: scratch)
        guard try await compiler.waitForExit() == 0 else { throw TestProblem("clang: \(try compiler.log())") }
        // env(1) sets the variable, so that only the app's program loads the library.
        let words = ["LD_PRELOAD=\(library)", program, "-c", "raise SystemExit('not preloaded')"]
        return try await RunningProgram.start(
            "/usr/bin/env", words, environment: ["PEER_SOCKET": socket, "PEER_FRAMES": frames], log: log(), in: scratch)
    }

    /// Starts a process in a file system of its own, whose root contains a Flatpak file that names the app.
    private func sandboxed(as bundleID: String) async throws -> RunningProgram {
        let make = """
            set -e
            mkdir -p "$0" && mount -t tmpfs none "$0"
            for place in usr lib lib64 bin tmp proc; do
                if [ -L "/$place" ]; then cp -P "/$place" "$0/$place"; continue; fi
                [ -d "/$place" ] || continue
                mkdir "$0/$place" && mount --rbind "/$place" "$0/$place"
            done
            printf '[Application]\\nname=%s\\n' "$1" >"$0/.flatpak-info"
            shift
            exec chroot "$0" "$@"
            """
        return try await RunningProgram.start(
            "/usr/bin/unshare",
            ["-m", "/bin/sh", "-c", make, scratch.path("root"), bundleID, Self.interpreter, script, socket, frames],
            log: log(), in: scratch)
    }

    /// Waits until the process has ended, and returns the broker's answer.
    func answer(of peer: RunningProgram) async throws -> String {
        try await peer.waitForExit()
        return try await settled(peer)
    }

    /// Returns the log once it contains a whole line. A child process may still wait for the broker's answer after its
    /// parent has exited.
    private func settled(_ peer: RunningProgram) async throws -> String {
        let path = peer.logPath
        try await FolderWatch(scratch.path).until("in \(path)") { try textOfFile(path).hasSuffix("\n") }
        return try peer.log()
    }

    /// Connects without any forgery, and returns the broker's answer.
    func ask(as user: UInt32? = nil) async throws -> String {
        let words = [script, socket, frames]
        let peer =
            if let user {
                try await RunningProgram.start(
                    "/usr/bin/setpriv", ["--reuid", "\(user)", "--clear-groups", Self.interpreter] + words, log: log(),
                    awaitsReady: false, in: scratch)
            } else {
                try await RunningProgram.start(Self.interpreter, words, log: log(), awaitsReady: false, in: scratch)
            }
        return try await answer(of: peer)
    }

    private func log() -> String { "peer-\(UInt32.random(in: 0...UInt32.max)).log" }
}
