// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing

/// Copies of the whole state folder, including the device's keys, like those of an attacker who copies the disk at
/// these moments.
struct StateCopies {
    private let live: LiveEnvironment
    let folder: String
    private(set) var steps: [String] = []

    init(_ live: LiveEnvironment) throws {
        self.live = live
        folder = live.path("copies")
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    /// Copies everything except the packages from the MDM, which are the same everywhere.
    mutating func take(_ step: String) async throws {
        let copy = path(of: step)
        // Files change while the broker works, so it is stopped. It may also be dead.
        try? live.send(SIGSTOP, to: .broker)
        defer { try? live.send(SIGCONT, to: .broker) }
        try await live.run(
            "/bin/sh", "-c", #"mkdir "$1" && tar -C "$0" --exclude=./management/apps -cf - . | tar -C "$1" -xf -"#,
            live.path("device"), copy)
        steps.append(step)
    }

    func path(of step: String) -> String { folder + "/" + step }

    /// Everything in a copy that can be opened with the keys in it, and with `key`.
    func openings(of step: String, with key: [UInt8]? = nil) throws -> Set<[UInt8]> {
        var ring = try KeyRing(of: path(of: step))
        if let key { ring.add(key: key) }
        return ring.openings()
    }

    /// Whether a copy holds these bytes, raw or encoded.
    func holds(_ key: [UInt8], in step: String) throws -> Bool {
        try KeyRing(of: path(of: step)).holds(key)
    }

    /// Whether a copy holds a session's sealed data.
    func holdsSession(in step: String) -> Bool {
        FileManager.default.fileExists(atPath: path(of: step) + "/session/worker.sealed")
    }

    /// Expects that nothing in a copy that was made before a sign-out can be opened after the sign-out. The live key,
    /// if given, must not be in the copy, and it must open the copy's session data, which shows that the search works.
    func expectNothing(in step: String, of userName: String, key: [UInt8]? = nil) throws {
        #expect(try openings(of: step).isEmpty, "the copy \(step) opens")
        guard let key else { return }
        #expect(try !holds(key, in: step), "the copy \(step) holds the key")
        guard holdsSession(in: step) else { return }
        let plain = try openings(of: step, with: key).map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(plain.contains(userName), "\(step)")
    }

    func remove() throws { try FileManager.default.removeItem(atPath: folder) }
}
