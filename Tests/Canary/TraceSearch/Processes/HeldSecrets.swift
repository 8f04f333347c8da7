// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// The secrets that a process of the broker holds, to search for them elsewhere.
package enum HeldSecrets {
    /// The tokens in a process's memory, by name: signed tokens (three parts, two of which begin with eyJ) and opaque
    /// tokens (a digit and two parts: PRT, refresh token, code). Only the last 80 characters of each are returned:
    /// enough to identify a token, even if it was cut or wrapped.
    package static func tokens(of pid: Int32) throws(SystemError) -> [String: String] {
        let memory = try ProcessMemory(of: pid)
        var kinds: [String: String] = [:]
        var texts: [String] = []
        for mapping in try Mapping.all(of: pid) where mapping.isWritable {
            for (kind, token) in TokenScanner.tokens(in: content(of: mapping, memory)) {
                let text = String(decoding: token.suffix(80), as: UTF8.self)
                if kinds.updateValue(kinds[text] ?? kind, forKey: text) == nil { texts.append(text) }
            }
        }
        let named = texts.enumerated().map { ("\(kinds[$1] ?? "")-\($0 + 1)", $1) }
        return Dictionary(uniqueKeysWithValues: named)
    }

    /// The readable content of a mapping.
    private static func content(of mapping: Mapping, _ memory: ProcessMemory) -> [UInt8] {
        var content: [UInt8] = []
        while content.count < mapping.count {
            let address = mapping.begin + UInt64(content.count)
            guard let piece = try? memory.read(at: address, mapping.count - content.count), !piece.isEmpty else {
                break
            }
            content += piece
        }
        return content
    }

    /// The session keys in the memory files of a process.
    package static func sessionKeys(of pid: Int32) throws(SystemError) -> Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        for (_, file) in try OpenFiles.all(of: pid) {
            guard try file.name().split(separator: " ").first == "/memfd:baton-session-key" else { continue }
            keys.insert(try file.reopened().read(at: 0, 64))
        }
        return keys
    }

    /// Whether a process's memory, files or environment can be read by any method.
    package static func canBeRead(_ pid: Int32) -> Bool {
        let memory = InspectionMethod.allCases.contains { method in
            guard let mapping = try? Mapping.all(of: pid).first,
                let byte = try? ProcessMemory(of: pid, by: method).read(at: mapping.begin, 1)
            else { return false }
            return !byte.isEmpty
        }
        return memory || (try? FilePath("/proc/\(pid)/fd/0").linkTarget()) != nil
            || (try? OpenFile(FilePath("/proc/\(pid)/environ"), O_RDONLY).readAll()) != nil
    }

    /// Whether a process's standard input can be seen among its open files, and whether a text can be found in its
    /// writable memory: true if both are possible.
    ///
    /// - Parameter method: the method to use; nil for the method that the kernel allows.
    package static func canBeSeen(
        _ text: String, in pid: Int32, by method: InspectionMethod? = nil
    ) throws(SystemError) -> Bool {
        guard try OpenFiles.all(of: pid, by: method).contains(where: { $0.number == 0 }) else { return false }
        let needles = Needles(["text": .text(text)])
        let memory = try ProcessMemory(of: pid, by: method)
        for mapping in try Mapping.all(of: pid) where mapping.isWritable && !mapping.isOfFile {
            let surface = Surface("memory", needles: needles)
            surface.search(content(of: mapping, memory), "memory")
            if !surface.hits.isEmpty { return true }
        }
        return false
    }
}
