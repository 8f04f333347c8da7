// SPDX-License-Identifier: Apache-2.0

extension PropertyList {
    /// The limits beyond which a reader refuses a document.
    package struct Limits: Sendable {
        /// The document's length in bytes.
        package var bytes: Int
        /// The nesting depth of arrays and dictionaries.
        package var depth: Int
        /// The number of values and keys together.
        package var objects: Int
        /// The length in bytes of one string, key, number or data value in the XML.
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
