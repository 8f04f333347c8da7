// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Foundation
internal import JSON

/// The place of a member in a JSON text, such as `rules.credentials[2]`. It contains names and no values.
enum MemberPath {
    /// Returns the text for a path of keys and indices; nil for the whole text.
    static func text(_ path: [any CodingKey]) -> String? {
        guard !path.isEmpty else { return nil }
        return joined(path.map { key in key.intValue.map { .index($0) } ?? .name(key.stringValue) })
    }

    /// Returns the path of the member whose key begins at an offset in a JSON text that is correct up to there.
    static func text(ofKeyAt offset: Int, in bytes: [UInt8]) -> String? {
        var (path, last, position): ([Step], String, Int) = ([], "", 0)
        while position < min(offset, bytes.count) {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let end = self.end(ofStringAt: position, in: bytes)
                last = name(bytes[position..<end])
                position = end
                continue
            case UInt8(ascii: "{"): path.append(.name(""))
            case UInt8(ascii: "["): path.append(.index(0))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = path.popLast()
            case UInt8(ascii: ":"):
                if case .name? = path.last { path[path.count - 1] = .name(last) }
            case UInt8(ascii: ","):
                if case .index(let index)? = path.last { path[path.count - 1] = .index(index + 1) }
            default: break
            }
            position += 1
        }
        guard !path.isEmpty, offset < bytes.count else { return nil }
        return joined(path.dropLast() + [.name(name(bytes[offset..<end(ofStringAt: offset, in: bytes)]))])
    }

    private enum Step {
        case name(String)
        case index(Int)
    }

    private static func joined(_ steps: [Step]) -> String {
        let text = steps.reduce(into: "") { text, step in
            switch step {
            case .name(let name):
                let shown = ShownText.isPlain(name) ? name : "?"
                text += text.isEmpty ? shown : ".\(shown)"
            case .index(let index): text += "[\(index)]"
            }
        }
        return String(text.prefix(200))
    }

    /// Returns the offset after the closing quotation mark.
    private static func end(ofStringAt start: Int, in bytes: [UInt8]) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position + 1, bytes.count)
    }

    /// Returns the text of a string in its quotation marks.
    private static func name(_ string: ArraySlice<UInt8>) -> String {
        do throws(JSONFailure) {
            return try JSONReader.read(Array(string), limits: JSONLimits(bytes: string.count)).string ?? ""
        } catch { return "" }
    }
}
