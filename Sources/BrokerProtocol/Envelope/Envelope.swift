// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The members of a frame's body. The map of a request or response, which is most of the frame, is read directly from
/// the bytes.
struct Envelope {
    /// The map; nil if the body has none, or if it is not an object.
    private(set) var map: FlatMap?
    private var members = SortedMembers<JSONValue>()

    /// - Parameter name: the name of the member with the map.
    /// - Throws: ``EnvelopeFailure``
    init(_ bytes: [UInt8], map name: String) throws(EnvelopeFailure) {
        let isObject: Bool
        do throws(JSONFailure) {
            isObject = try JSONReader.read(bytes, limits: Wire.envelopeLimits) { (reader) throws(JSONFailure) in
                guard reader.nextIsObject else {
                    _ = try reader.value()
                    return false
                }
                try read(&reader, map: name)
                return true
            }
        } catch { throw .json(error) }
        guard isObject else { throw .shape }
    }

    private mutating func read(_ reader: inout JSONReader, map name: String) throws(JSONFailure) {
        try reader.members { (reader, key) throws(JSONFailure) in
            guard key != name || map == nil else { return false }
            guard key == name, reader.nextIsObject else { return members.add(try reader.value(), forKey: key) }
            map = try FlatMap(&reader)
            return members[key] == nil
        }
    }

    subscript(name: String) -> JSONValue? { members[name] }
}
