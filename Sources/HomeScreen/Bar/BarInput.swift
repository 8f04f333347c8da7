// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// Reads the touches that the bar reports: an endless JSON array with one object on each line (swaybar-protocol(7)).
struct BarInput {
    private static let limits = JSONLimits(bytes: 4096, depth: 4)

    private struct Click: Decodable {
        let name: String
    }

    private var line: [UInt8] = []

    /// Adds bytes of the input and returns the touches that they complete. Lines that are too long or that report no
    /// touch are ignored.
    mutating func touches(in bytes: some Sequence<UInt8>) -> [BarBlock.Touch] {
        var touches: [BarBlock.Touch] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                Self.touch(in: line).map { touches.append($0) }
                line = []
            } else if line.count <= Self.limits.bytes {
                line.append(byte)
            }
        }
        return touches
    }

    private static func touch(in line: [UInt8]) -> BarBlock.Touch? {
        // A comma comes before every object but the first.
        let object = Array(line.first == UInt8(ascii: ",") ? line.dropFirst() : line[...])
        let click = try? JSONReader.read(Click.self, from: object, limits: limits)
        return click.flatMap { BarBlock.Touch(rawValue: $0.name) }
    }
}
