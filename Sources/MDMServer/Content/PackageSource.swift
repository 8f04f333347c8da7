// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Encodings
internal import Foundation
internal import MDMProtocol
internal import NIOPosix
internal import Synchronization

/// A package file of this machine, read in pieces.
final class PackageSource: Sendable {
    private struct State {
        let file: FileHandle
        var digest = SHA256()
        var size: Int64 = 0
    }

    private let path: String
    private let state: Mutex<State>

    /// - Throws: ``MDMAdminRefusal`` if the file cannot be read.
    init(_ path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw MDMAdminRefusal(.unreadablePackage, "The package file \(path) cannot be read.")
        }
        self.path = path
        state = Mutex(State(file: file))
    }

    deinit {
        state.withLock { state in
            do { try state.file.close() } catch {
                // The file was only read, so a failed close loses nothing.
            }
        }
    }

    /// Returns the next bytes, at most `count`; nil at the end. Blocks.
    ///
    /// - Throws: ``MDMAdminRefusal`` if the file is not a package or is too large.
    func next(_ count: Int) throws -> Data? {
        try state.withLock { state in
            guard let piece = try state.file.read(upToCount: count), !piece.isEmpty else { return nil }
            guard state.size > 0 || Self.isProgram(piece) else {
                throw MDMAdminRefusal(
                    .noPackage, "\(path) is not a program for Linux (ELF), the only kind that devices install.")
            }
            state.size += Int64(piece.count)
            guard state.size <= AppManifest.maximumSize else { throw MDMAdminRefusal(.packageTooLarge) }
            state.digest.update(data: piece)
            return piece
        }
    }

    /// The package that was read so far.
    ///
    /// - Throws: ``MDMAdminRefusal`` if it is empty.
    var package: StoredPackage {
        get throws {
            try state.withLock { state in
                guard state.size > 0 else { throw MDMAdminRefusal(.unreadablePackage) }
                return StoredPackage(size: state.size, sha256: Hexadecimal.text(state.digest.finalize()))
            }
        }
    }

    /// Returns whether the file that starts with `begin` is a program for Linux, the only kind that devices install.
    /// Such a file is an ELF file (elf(5)) of type `ET_EXEC` or `ET_DYN`.
    private static func isProgram(_ begin: Data) -> Bool {
        let head = Array(begin.prefix(18))
        guard head.count == 18, head.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else { return false }
        // Byte 5 gives the byte order of the numbers that follow.
        let type = head[5] == 2 ? head[17] : head[16]
        return type == 2 || type == 3
    }
}

/// Runs work that reads or writes files, on a thread that may block.
func onFileThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await NIOThreadPool.singleton.runIfActive(body)
}
