// SPDX-License-Identifier: Apache-2.0

/// What a search found: encodings and places, never the canaries themselves.
package struct SearchReport {
    package enum Outcome: Int32 {
        /// Every expectation held.
        case asExpected = 0
        /// An expectation did not hold.
        case unexpected = 1
        /// Something could not be searched, so nothing is proved.
        case unsearchable = 2
    }

    private let surfaces: [Surface]
    private let canaries: [String]
    private let broken: [String]

    init(surfaces: [Surface], canaries: [String], broken: [String]) {
        (self.surfaces, self.canaries, self.broken) = (surfaces, canaries, broken)
    }

    package var outcome: Outcome {
        if surfaces.contains(where: { !$0.problems.isEmpty }) { return .unsearchable }
        return broken.isEmpty ? .asExpected : .unexpected
    }

    /// The report as lines of text.
    package var lines: [String] {
        surfaces.flatMap { surface in
            canaries.map { "\(surface.name): \($0): \(found($0, in: surface))" }
                + surface.problems.map { "\(surface.name): could not search \($0)" }
        } + broken.map { "not as expected: \($0)" }
    }

    private func found(_ canary: String, in surface: Surface) -> String {
        guard let hits = surface.hits[canary], let first = hits.first else {
            return surface.problems.isEmpty ? "none" : "none in what could be searched"
        }
        let encodings = Set(hits.map(\.encoding)).sorted().joined(separator: ", ")
        return "\(hits.count) hits as \(encodings), first in \(first.place)"
    }
}

extension SearchReport: Encodable {
    private enum Key: String, CodingKey { case surfaces, broken, searched }
    private enum SurfaceKey: String, CodingKey { case surface, bytes, errors, hits }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(broken, forKey: .broken)
        try container.encode(outcome != .unsearchable, forKey: .searched)
        var list = container.nestedUnkeyedContainer(forKey: .surfaces)
        for surface in surfaces {
            var item = list.nestedContainer(keyedBy: SurfaceKey.self)
            try item.encode(surface.name, forKey: .surface)
            try item.encode(surface.byteCount, forKey: .bytes)
            try item.encode(surface.problems, forKey: .errors)
            try item.encode(surface.hits, forKey: .hits)
        }
    }
}
