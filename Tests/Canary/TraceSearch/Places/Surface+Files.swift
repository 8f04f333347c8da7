// SPDX-License-Identifier: Apache-2.0
internal import CInspection
internal import Glibc

extension Surface {
    /// The maximum number of unpacked bytes of one compressed stream. A longer stream is an error; the search is never
    /// silently cut short.
    private static let streamLimit = 64 << 20
    /// The nesting depth of compressed streams.
    private static let depth = 3

    /// Searches a file, or a folder with everything in it: names, link targets, extended attributes, content.
    ///
    /// The path itself may be a link. Links in the folder are not followed.
    ///
    /// - Parameter absentIsNone: whether the path may be missing.
    package func searchFiles(at path: String, absentIsNone: Bool = false) {
        do throws(SystemError) {
            let given = FilePath(path)
            _ = try given.status()
            try visit(try given.resolved(), place: ".")
        } catch {
            if error.isAbsence && absentIsNone { return }
            fail(".", error.isAbsence ? "there is no such file or folder" : error.reason)
        }
    }

    private func visit(_ path: FilePath, place: String) throws(SystemError) {
        let status = try path.status()
        search(path.name, "\(place) (name)")
        for attribute in try path.attributes() { search(attribute, "\(place) (attribute)") }
        switch status.st_mode & S_IFMT {
        case S_IFLNK: search(try path.linkTarget(), "\(place) (link)")
        case S_IFREG: search(try OpenFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), place: place)
        case S_IFDIR:
            for name in try path.names() {
                let text = String(decoding: name, as: UTF8.self)
                searchEntry(path.appending(name), place: place == "." ? text : "\(place)/\(text)")
            }
        default: break
        }
    }

    /// Searches an entry of a folder. An entry that disappears meanwhile is skipped.
    private func searchEntry(_ path: FilePath, place: String) {
        do throws(SystemError) { try visit(path, place: place) } catch {
            if !error.isAbsence { fail(place, error.reason) }
        }
    }

    func search(_ file: OpenFile, place: String) {
        var streams: [(offset: Int, packing: Packing)] = []
        var offset = 0
        do throws(SystemError) {
            try search(place, unpack: { streams.append(($0, $1)) }) { () throws(SystemError) in
                let piece = try file.read(at: offset, Self.chunk)
                offset += piece.count
                return piece
            }
            // A raw deflate stream has no signature; a whole file may be such a stream.
            streams.append((0, .deflate))
            for stream in streams {
                try searchStream(stream.packing, at: stream.offset, place: place, depth: Self.depth, read: file.read)
            }
        } catch { fail(place, error.reason) }
    }

    /// Searches a compressed stream that may begin at `offset`. Bytes that cannot be decompressed are passed over.
    private func searchStream(
        _ packing: Packing, at offset: Int, place: String, depth: Int, read: @escaping Unpacker.Read
    ) throws(SystemError) {
        guard let begin = try Self.content(of: packing, at: offset, read: read) else { return }
        let place = "\(place)>\(packing.rawValue)@\(offset)"
        let unpacker = try Unpacker(packing, at: begin, read: read)
        var content: [UInt8] = []
        var streams: [(offset: Int, packing: Packing)] = []
        var isTooLong = false
        try search(place, unpack: { streams.append(($0, $1)) }) { () throws(SystemError) in
            let piece = try unpacker.next()
            isTooLong = content.count + piece.count > Self.streamLimit
            if isTooLong { return [] }
            content += piece
            return piece
        }
        if isTooLong { fail(place, "unpacks to more than \(Self.streamLimit) bytes") }
        guard depth > 1 else { return }
        for stream in streams {
            try searchStream(stream.packing, at: stream.offset, place: place, depth: depth - 1) { offset, count in
                Array(content.dropFirst(offset).prefix(count))
            }
        }
    }

    /// The start of a stream's compressed bytes; nil if there cannot be a stream.
    private static func content(
        of packing: Packing, at offset: Int, read: Unpacker.Read
    ) throws(SystemError) -> Int? {
        guard packing == .zip else { return offset }
        let header = try read(offset, 30)
        // Method 8 is deflate. Two lengths, least significant byte first, give the size of the fields before the
        // content.
        guard header.count == 30, header[8] == 8, header[9] == 0 else { return nil }
        return offset + 30 + Int(header[26]) + Int(header[27]) << 8 + Int(header[28]) + Int(header[29]) << 8
    }
}
