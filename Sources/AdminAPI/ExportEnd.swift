// SPDX-License-Identifier: Apache-2.0

/// The last line of an export, by which a client knows that the export is complete.
package struct ExportEnd: Codable, Sendable {
    /// The number of lines before this one.
    package let end: Int

    package init(end: Int) { self.end = end }

    /// The media type of exports: one JSON value on each line.
    package static let mediaType = "application/x-ndjson"
}
