// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Storage

extension MDMSources {
    /// The machine's clock, the kernel's randomness, and its disk.
    package static let system = MDMSources(
        now: { .now },
        random: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        },
        sync: { folder in
            let number = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard number >= 0 else { throw FolderNotSynced(errno: errno) }
            defer { _ = close(number) }
            guard fsync(number) == 0 else { throw FolderNotSynced(errno: errno) }
        })
}

/// A folder whose entries may not be on the disk.
private struct FolderNotSynced: Error {
    let errno: Int32
}
