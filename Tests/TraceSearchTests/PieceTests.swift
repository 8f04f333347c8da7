// SPDX-License-Identifier: Apache-2.0
import Testing
import TraceSearch

/// Searches content that arrives in pieces. No hit is lost where the content is cut.
@Suite struct PieceTests {
    private struct Unreadable: Error {}

    private let needles = Needles(["name": .text(Sample.text)])

    /// Returns the hits in `bytes`, which are searched in two pieces.
    private func hits(_ bytes: [UInt8], cutAt cut: Int) -> [Surface.Hit] {
        let surface = Surface("place", needles: needles)
        var pieces = [Array(bytes[..<cut]), Array(bytes[cut...])].filter { !$0.isEmpty }
        surface.search("it") { pieces.isEmpty ? [] : pieces.removeFirst() }
        return surface.hits["name"] ?? []
    }

    @Test(arguments: Sample.encoded.keys.sorted())
    func `an encoding is found even if a piece's border splits it`(_ name: String) throws {
        let bytes = Array("before".utf8) + (try #require(Sample.encoded[name])) + Array("behind".utf8)
        let whole = hits(bytes, cutAt: bytes.count)
        #expect(whole.contains { $0.encoding == Sample.searchName(of: name) })
        for cut in bytes.indices { #expect(hits(bytes, cutAt: cut) == whole, "cut at \(cut)") }
    }

    @Test func `a text directly before an unreadable page is found, and the failure is reported`() {
        let surface = Surface("place", needles: needles)
        var pieces = [Array(("before " + Sample.text).utf8)]
        #expect(throws: Unreadable.self) {
            try surface.search("memory") { () throws(Unreadable) in
                guard !pieces.isEmpty else { throw Unreadable() }
                return pieces.removeFirst()
            }
        }
        #expect(surface.hits["name"]?.map(\.place) == ["memory+7"])
    }

    @Test func `prefixes of a text that pass the filter are not found, only the whole text is`() {
        // All proper prefixes of the text, one after the other.
        var bytes: [UInt8] = []
        for count in 1..<Sample.text.utf8.count { bytes += Array(Sample.text.utf8.prefix(count)) }
        #expect(hits(bytes, cutAt: bytes.count).isEmpty)
        #expect(hits(bytes + Array(Sample.text.utf8), cutAt: 17).map(\.place) == ["it+\(bytes.count)"])
    }
}
