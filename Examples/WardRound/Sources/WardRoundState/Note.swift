// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// A line that the worker wrote down.
package struct Note: Codable, Equatable, Sendable {
    package let text: String
    package let written: Date

    package init(_ text: String, written: Date) {
        self.text = text
        self.written = written
    }
}
