// SPDX-License-Identifier: Apache-2.0
internal import Files

/// The file that tells every app on this device that the device is managed, even while the broker is down.
///
/// It contains no other information, and anybody may read it. It is written before the record of the enrollment, and
/// removed after everything else of the enrollment, so that a crash at any time cannot make a managed device look like
/// a personal device. Every call blocks on the disk.
package struct ManagedMarker: Sendable {
    package let path: String
    private var folder: Directory { Directory(path: path.split(separator: "/").dropLast().map { "/" + $0 }.joined()) }
    private var file: AtomicFile { AtomicFile(path: path) }

    private static let content = Array("This device is managed. Its apps ask Baton's broker who is signed in.\n".utf8)

    /// - Parameter path: an absolute path.
    package init(path: String) { self.path = path }

    /// Writes the file durably, unless it exists already with the right content.
    func raise() throws(FileError) {
        guard try file.read(limit: 4096) != Self.content else { return }
        try folder.make(mode: 0o755)
        try file.replace(with: Self.content, mode: 0o644)
    }

    /// Removes the file durably.
    func drop() throws(FileError) { try file.remove() }
}
