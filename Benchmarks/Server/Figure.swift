// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// One line of the output. scripts/measure/servers adds the reference, the ratio and the budget.
struct Figure: Encodable {
    /// The cost of an operation in a database of `n` users, devices and sessions.
    struct Point: Encodable {
        let n: Int
        let value: Double
    }

    let group: String
    let name: String
    /// The unit of `p50`, `p99` and of the points.
    let unit = "µs"
    var p50: Double?
    var p99: Double?
    var perSecond: Double?
    /// How many operations one core would do in a second of processor time.
    var perCoreSecond: Double?
    var points: [Point]?

    init(_ group: String, _ name: String, _ measured: Measured) {
        (self.group, self.name) = (group, name)
        (p50, p99) = (rounded(measured.percentile(50) * 1e6), rounded(measured.percentile(99) * 1e6))
        (perSecond, perCoreSecond) = (rounded(measured.perSecond), rounded(measured.perCoreSecond))
    }

    init(_ group: String, _ name: String, points: [Point]) {
        (self.group, self.name) = (group, name)
        self.points = points.map { Point(n: $0.n, value: rounded($0.value)) }
    }

    func print() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(self) else { fatalError("the figure \(name) is not a number") }
        Swift.print(String(decoding: line, as: UTF8.self))
        fflush(nil)
    }
}

private func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
