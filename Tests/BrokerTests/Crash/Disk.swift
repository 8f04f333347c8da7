// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The files below a folder, as a power cut may leave them.
struct Disk: Hashable {
    enum Node: Hashable {
        case folder([String: Int])
        case file([UInt8])
        /// A symbolic link, with its target.
        case link(String)
    }

    /// The keys are our own numbers, because the kernel reuses the inode numbers of removed files.
    private var nodes: [Int: Node] = [0: .folder([:])]

    /// Reads a folder of the real disk.
    ///
    /// - Parameter numbers: is set to the kernel's inode numbers of the files.
    init(reading root: String, numbers: inout [UInt64: Int]) throws {
        try read(root, as: 0, &numbers)
    }

    private mutating func read(_ path: String, as number: Int, _ numbers: inout [UInt64: Int]) throws {
        let files = FileManager.default
        let facts = try files.attributesOfItem(atPath: path)
        guard let inode = (facts[.systemFileNumber] as? NSNumber)?.uint64Value else {
            throw TestProblem("\(path) has no number")
        }
        numbers[inode] = number
        if facts[.type] as? FileAttributeType == .typeSymbolicLink {
            nodes[number] = .link(try files.destinationOfSymbolicLink(atPath: path))
            return
        }
        guard facts[.type] as? FileAttributeType == .typeDirectory else {
            nodes[number] = .file(Array(try Data(contentsOf: URL(filePath: path))))
            return
        }
        var entries: [String: Int] = [:]
        for name in try files.contentsOfDirectory(atPath: path) {
            entries[name] = numbers.count
            try read(path + "/" + name, as: numbers.count, &numbers)
        }
        nodes[number] = .folder(entries)
    }

    /// Creates `path` and writes the files below it.
    func write(below path: String) throws { try write(0, at: path) }

    private func write(_ number: Int, at path: String) throws {
        switch nodes[number] {
        case .folder(let entries):
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for (name, entry) in entries { try write(entry, at: path + "/" + name) }
        case .file(let bytes):
            let isWritten = FileManager.default.createFile(
                atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
            guard isWritten else { throw TestProblem("\(path) cannot be written") }
        case .link(let target):
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        // An entry whose file never reached the disk.
        case nil: throw TestProblem("\(path) names nothing")
        }
    }

    /// A change of the disk. It has no effect if a file that it needs is missing.
    enum Change {
        case enter(name: String, in: Int, number: Int, Node)
        case cut(Int, to: Int)
        case write(Int, at: Int, [UInt8])
        case rename(from: Int, String, to: Int, String)
        case remove(name: String, in: Int)
    }

    mutating func apply(_ change: Change) {
        switch change {
        case .enter(let name, let folder, let number, let node):
            guard edit(folder, { $0[name] = number }) else { return }
            // Data written to a file before its name reached the disk is not lost.
            if nodes[number] == nil { nodes[number] = node }
        case .cut(let number, let length):
            guard case .file(let bytes) = nodes[number] ?? .file([]) else { return }
            nodes[number] = .file(
                Array(bytes.prefix(length)) + Array(repeating: 0, count: max(0, length - bytes.count)))
        case .write(let number, let offset, let written):
            guard case .file(var bytes) = nodes[number] ?? .file([]) else { return }
            let end = offset + written.count
            if bytes.count < end { bytes += Array(repeating: 0, count: end - bytes.count) }
            bytes.replaceSubrange(offset..<end, with: written)
            nodes[number] = .file(bytes)
        case .rename(let from, let old, let to, let new):
            guard case .folder(let source) = nodes[from], let moved = source[old], case .folder? = nodes[to] else {
                return
            }
            _ = edit(from) { $0[old] = nil }
            _ = edit(to) { $0[new] = moved }
        case .remove(let name, let folder): _ = edit(folder) { $0[name] = nil }
        }
    }

    private mutating func edit(_ folder: Int, _ change: (inout [String: Int]) -> Void) -> Bool {
        guard case .folder(var entries) = nodes[folder] else { return false }
        change(&entries)
        nodes[folder] = .folder(entries)
        return true
    }
}
