// SPDX-License-Identifier: Apache-2.0

extension PropertyList {
    /// What a reader accepts before it gives up on a document.
    package struct Limits: Sendable {
        /// The document's bytes.
        package var bytes: Int
        /// Arrays and dictionaries inside each other.
        package var depth: Int
        /// Values and keys together.
        package var objects: Int
        /// Bytes of one string, key, number or data value, as they stand in the XML.
        package var text: Int

        package init(bytes: Int = 4 << 20, depth: Int = 32, objects: Int = 50_000, text: Int = 2 << 20) {
            self.bytes = bytes
            self.depth = depth
            self.objects = objects
            self.text = text
        }
    }

    /// Reads an XML property list.
    ///
    /// - Throws: ``PropertyListError``; never traps, whatever the bytes are.
    package init(xml bytes: [UInt8], limits: Limits = Limits()) throws(PropertyListError) {
        guard bytes.count <= limits.bytes else { throw PropertyListError(.limitExceeded, at: limits.bytes) }
        var reader = XMLReader(bytes: bytes, limits: limits)
        self = try reader.document()
    }
}
