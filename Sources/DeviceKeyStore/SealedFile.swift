// SPDX-License-Identifier: Apache-2.0
package import Files

/// A file of the device's state that is sealed under the device's sealing key and replaced atomically. Every call
/// blocks on the disk.
package struct SealedFile: Sendable {
    private let file: AtomicFile
    private let name: String
    private let seal: DeviceSeal

    /// - Parameter name: the file's name in `directory`. The content is bound to this name.
    package init(_ name: String, in directory: Directory, seal: DeviceSeal) {
        (file, self.name, self.seal) = (directory.file(name), name, seal)
    }

    /// Returns the content; nil if there is no such file.
    ///
    /// - Throws: ``SealBroken``, ``FileError``.
    package func read(limit: Int = 1 << 20) throws -> [UInt8]? {
        guard let sealed = try file.read(limit: limit) else { return nil }
        return try seal.open(sealed, as: name)
    }

    /// Replaces the content, durably.
    ///
    /// - Throws: ``FileError``, the library's error.
    package func replace(with plain: [UInt8]) throws { try file.replace(with: seal.seal(plain, as: name)) }

    /// Removes the file, durably. Returns whether it existed.
    ///
    /// - Throws: ``FileError``.
    @discardableResult
    package func remove() throws -> Bool { try file.remove() }
}
