// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport

/// Copies of the whole state folder, the device's keys among them, as somebody made them who had the disk at these moments.
struct StateCopies {
    private let world: World
    let folder: String
    private(set) var steps: [String] = []

    init(_ world: World) throws {
        self.world = world
        folder = world.path("copies")
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    /// Copies everything but the packages that the MDM sent, which are the same for everybody.
    mutating func take(_ step: String) async throws {
        let copy = path(of: step)
        try await world.run(
            "/bin/sh", "-c", #"mkdir "$1" && tar -C "$0" --exclude=./management/apps -cf - . | tar -C "$1" -xf -"#,
            world.path("device"), copy)
        steps.append(step)
    }

    func path(of step: String) -> String { folder + "/" + step }

    /// What a copy opens with all that is in it, and with what is given besides.
    func openings(of step: String, with key: [UInt8]? = nil) throws -> Set<[UInt8]> {
        var ring = try KeyRing(of: path(of: step))
        if let key { ring.add(key: key) }
        return ring.openings()
    }

    /// Whether a copy holds these bytes, as they are or written down in some way.
    func holds(_ key: [UInt8], in step: String) throws -> Bool {
        try KeyRing(of: path(of: step)).holds(key)
    }

    func remove() throws { try FileManager.default.removeItem(atPath: folder) }
}
