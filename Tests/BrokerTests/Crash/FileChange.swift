// SPDX-License-Identifier: Apache-2.0
import FileRecorder
import Foundation
import TestSupport

/// One change of the files below a folder, in the order of the system calls.
enum FileChange: Equatable {
    case created(name: String, in: UInt64, UInt64)
    case madeFolder(name: String, in: UInt64, UInt64)
    case linked(name: String, in: UInt64, UInt64, to: String)
    case cut(UInt64, to: Int)
    case wrote(UInt64, at: Int, [UInt8])
    case renamed(from: UInt64, String, to: UInt64, String)
    case removed(name: String, in: UInt64)
    case synced(UInt64)
    /// Not a change, but a mark of the test: this text has been acknowledged by now.
    case mark(String)

    /// Records the changes that any thread makes below `root` while `body` runs. A process can make only one recording
    /// at a time.
    static func recording<Value>(below root: String, _ body: () async throws -> Value) async throws -> (
        [FileChange], Value
    ) {
        unsafe file_recorder_begin(root)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        var size = 0
        let bytes = unsafe file_recorder_end(&size)
        defer { unsafe free(bytes) }
        let value = try outcome.get()
        return unsafe (try read(UnsafeRawBufferPointer(start: bytes, count: size)), value)
    }

    /// Records, between the changes, that this text has been acknowledged.
    static func acknowledge(_ text: String) { unsafe file_recorder_mark(text) }

    private static func read(_ recorded: UnsafeRawBufferPointer) throws -> [FileChange] {
        var changes: [FileChange] = []
        var rest = unsafe recorded[...]
        while unsafe !rest.isEmpty {
            let head = unsafe rest.loadUnaligned(as: file_change.self)
            unsafe rest = unsafe rest.dropFirst(MemoryLayout<file_change>.size)
            let name = unsafe String(decoding: rest.prefix(Int(head.name_length)), as: UTF8.self)
            unsafe rest = unsafe rest.dropFirst(Int(head.name_length))
            let bytes = unsafe Array(rest.prefix(Int(head.bytes_length)))
            unsafe rest = unsafe rest.dropFirst(Int(head.bytes_length))
            changes.append(try FileChange(head, name, bytes))
        }
        return changes
    }

    private init(_ head: file_change, _ name: String, _ bytes: [UInt8]) throws {
        switch UInt8(truncatingIfNeeded: head.kind) {
        case UInt8(ascii: "C"): self = .created(name: name, in: head.inode, head.other)
        case UInt8(ascii: "M"): self = .madeFolder(name: name, in: head.inode, head.other)
        case UInt8(ascii: "L"):
            self = .linked(name: name, in: head.inode, head.other, to: String(decoding: bytes, as: UTF8.self))
        case UInt8(ascii: "T"): self = .cut(head.inode, to: Int(head.position))
        case UInt8(ascii: "W"): self = .wrote(head.inode, at: Int(head.position), bytes)
        case UInt8(ascii: "R"):
            self = .renamed(from: head.inode, name, to: head.other, String(decoding: bytes, as: UTF8.self))
        case UInt8(ascii: "U"): self = .removed(name: name, in: head.inode)
        case UInt8(ascii: "S"): self = .synced(head.inode)
        case UInt8(ascii: "X"): self = .mark(name)
        default: throw TestProblem("a change that nobody knows")
        }
    }
}
