// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import UnixSocket

/// A real `baton-server` in a scratch directory, with the administration socket as its door.
final class ServerProcess {
    let directory: String
    private let configuration: String
    private var process = Process()

    /// - Parameter changes: keys of the configuration file beside the usual ones.
    init(_ changes: [String: Any] = [:]) throws {
        directory = "/tmp/baton-\(UUID().uuidString.prefix(8))"
        configuration = directory + "/server.json"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let port = try Self.freePort()
        let keys: [String: Any] = [
            "directory": directory + "/state", "port": port, "mdmPort": port == 65535 ? 65534 : port + 1,
            "passwordCost": 10,
            "names": [
                "login": "login.test", "deviceRegistration": "drs.test", "graph": "graph.test", "mdm": "mdm.test",
            ],
        ]
        let merged = keys.merging(changes) { $1 }
        try JSONSerialization.data(withJSONObject: merged).write(to: URL(filePath: configuration))
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Starts the server and waits until it says that it serves.
    func start() async throws {
        let socket = try NotifySocket(path: directory + "/notify")
        try launch(notify: socket.path)
        try await socket.waitUntilReady()
    }

    /// Starts the server, which is expected to end by itself, and returns its exit code and what it said.
    func fail() async throws -> (code: Int32, text: String) {
        let pipe = Pipe()
        try launch(notify: nil, errors: pipe)
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return (await ended(), text)
    }

    /// Sends a signal and returns the exit code, or the signal's number where that ended the process.
    func end(by signal: Int32) async -> Int32 {
        kill(process.processIdentifier, signal)
        return await ended()
    }

    /// One call on the administration socket; returns status and body.
    func administer(_ method: String, _ path: String, _ body: String = "") throws -> (status: Int, body: String) {
        let connection = try Connection.connect(to: directory + "/state/admin.sock", maximumFrame: 1)
        let request = [
            "\(method) \(path) HTTP/1.1", "Host: server", "Connection: close", "Content-Length: \(body.utf8.count)",
            "", body,
        ].joined(separator: "\r\n")
        let answer = try connection.descriptor.withNumber { number throws in
            let handle = FileHandle(fileDescriptor: number, closeOnDealloc: false)
            try handle.write(contentsOf: Data(request.utf8))
            return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        }
        let parts = try #require(answer.firstRange(of: "\r\n\r\n"))
        let status = try #require(Int(answer.dropFirst(9).prefix(3)))
        return (status, String(answer[parts.upperBound...]))
    }

    private func launch(notify: String?, errors: Pipe? = nil) throws {
        process = Process()
        process.executableURL = try Self.executable()
        process.arguments = ["--config", configuration]
        process.environment = notify.map { ["NOTIFY_SOCKET": $0] } ?? [:]
        process.standardError = errors ?? FileHandle.nullDevice
        try process.run()
    }

    private func ended() async -> Int32 {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [process] in
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus)
            }
        }
    }

    private static func executable() throws -> URL {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "baton-server")
    }

    /// A port that was free a moment ago.
    private static func freePort() throws -> Int {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(number, $0, length) == 0 ? unsafe getsockname(number, $0, &length) : -1
            }
        }
        try #require(outcome == 0)
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
