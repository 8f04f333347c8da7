// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// Writes one JSON object directly, with its members in the order of the calls. Performance-critical code writes tokens
/// and replies with this type.
package struct MembersWriter {
    private var body: JSONWriter

    package init() {
        body = JSONWriter()
        body.beginObject()
    }

    /// The object's UTF-8 bytes.
    package var bytes: [UInt8] { whole.bytes }

    /// The object, as a value for another writer.
    var whole: JSONWriter {
        var whole = body
        whole.endObject()
        return whole
    }

    package mutating func set(_ name: some WireName, _ text: String) {
        body.append(name: name.rawValue)
        body.append(text)
    }

    /// Writes the member only if there is a value.
    package mutating func set(_ name: some WireName, _ text: String?) {
        if let text { set(name, text) }
    }

    /// Writes the member in any case, with `null` if there is no value.
    package mutating func setOrNull(_ name: some WireName, _ text: String?) {
        if let text { return set(name, text) }
        body.append(name: name.rawValue)
        body.appendNull()
    }

    package mutating func set(_ name: some WireName, _ integer: Int) {
        body.append(name: name.rawValue)
        body.append(integer)
    }

    package mutating func set(_ name: some WireName, _ truth: Bool) {
        body.append(name: name.rawValue)
        body.append(truth)
    }

    package mutating func set(_ name: some WireName, _ texts: [String]) {
        body.append(name: name.rawValue)
        body.beginList()
        for text in texts { body.append(text) }
        body.endList()
    }

    package mutating func set(_ name: some WireName, _ integers: [Int]) {
        body.append(name: name.rawValue)
        body.beginList()
        for integer in integers { body.append(integer) }
        body.endList()
    }

    /// Writes a list of objects.
    package mutating func set(_ name: some WireName, _ objects: [MembersWriter]) {
        body.append(name: name.rawValue)
        body.beginList()
        for object in objects { body.append(object.whole) }
        body.endList()
    }

    /// Writes a nested object.
    package mutating func set(_ name: some WireName, _ object: MembersWriter) {
        body.append(name: name.rawValue)
        body.append(object.whole)
    }
}
