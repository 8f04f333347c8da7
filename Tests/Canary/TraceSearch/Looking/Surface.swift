// SPDX-License-Identifier: Apache-2.0

/// One named place, with what was found there and what could not be searched.
package final class Surface {
    /// A canary that was found: in which encoding, and where.
    package struct Hit: Encodable, Equatable {
        package let encoding: String
        package let place: String
    }

    package let name: String
    /// The hits by canary.
    package private(set) var hits: [String: [Hit]] = [:]
    /// What could not be searched, and why.
    package private(set) var problems: [String] = []
    /// How many bytes were searched, including unpacked content.
    package private(set) var byteCount = 0
    private let needles: Needles

    package init(_ name: String, needles: Needles) {
        self.name = name
        self.needles = needles
    }

    /// How many bytes are read at once.
    static let chunk = 4 << 20

    /// Records that something could not be searched.
    package func fail(_ place: String, _ reason: String) {
        problems.append("\(needles.hidden(place)): \(reason)")
    }

    /// Searches the consecutive pieces that `next` returns until a piece is empty.
    ///
    /// - Throws: the error that `next` throws, after everything before it was searched.
    package func search<Problem: Error>(
        _ place: String, next: () throws(Problem) -> [UInt8]
    ) throws(Problem) { try search(place, unpack: nil, next: next) }

    /// - Parameter unpack: called where a compressed stream may begin.
    func search<Problem: Error>(
        _ place: String, unpack: ((_ offset: Int, _ packing: Packing) -> Void)?, next: () throws(Problem) -> [UInt8]
    ) throws(Problem) {
        var window: [UInt8] = []
        var start = 0
        var end: Result<Void, Problem>?
        while end == nil {
            do throws(Problem) {
                let piece = try next()
                if piece.isEmpty { end = .success(()) }
                if window.isEmpty { window = piece } else { window += piece }
                byteCount += piece.count
            } catch { end = .failure(error) }
            // A hit that begins in the last bytes may continue in the next piece, so the last bytes are searched
            // together with that piece.
            let limit = end == nil ? max(0, window.count - needles.longest) : window.count
            needles.search(window.span, limit: limit) { offset, needle in
                let hit = Hit(encoding: needle.encoding, place: needles.hidden("\(place)+\(start + offset)"))
                hits[needle.canary, default: []].append(hit)
            }
            if let unpack { Packing.search(window.span, limit: limit) { unpack(start + $0, $1) } }
            start += limit
            window.removeFirst(limit)
        }
        try end?.get()
    }

    /// Searches bytes in memory.
    func search(_ bytes: [UInt8], _ place: String) {
        var rest = bytes
        search(place) {
            defer { rest = [] }
            return rest
        }
    }
}
