// SPDX-License-Identifier: Apache-2.0
internal import CInspection
internal import Glibc

/// A path as the kernel represents it: bytes that need not be valid text.
struct FilePath {
    private let bytes: [CChar]

    init(_ text: String) { bytes = Array(text.utf8CString) }

    private init(bytes: [UInt8]) { self.bytes = bytes.map { CChar(bitPattern: $0) } + [0] }

    private var content: [UInt8] { bytes.dropLast().map { UInt8(bitPattern: $0) } }

    /// The last component.
    var name: [UInt8] { Array(content.split(separator: UInt8(ascii: "/")).last ?? []) }

    func appending(_ name: [UInt8]) -> FilePath { FilePath(bytes: content + [UInt8(ascii: "/")] + name) }

    /// The status of the path itself; a link is not followed.
    func status() throws(SystemError) -> stat {
        var status = stat()
        try SystemError.check(unsafe lstat(bytes, &status))
        return status
    }

    /// The path with all links resolved.
    func resolved() throws(SystemError) -> FilePath {
        guard let path = unsafe realpath(bytes, nil) else { throw SystemError(errno) }
        defer { unsafe free(path) }
        let characters = unsafe UnsafeBufferPointer(start: path, count: strlen(path))
        return FilePath(bytes: unsafe characters.map { UInt8(bitPattern: $0) })
    }

    func linkTarget() throws(SystemError) -> [UInt8] {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(bytes, &target, target.count)
        try SystemError.check(Int32(count))
        return target.prefix(count).map { UInt8(bitPattern: $0) }
    }

    /// The extended attributes: name, a zero, value.
    func attributes() throws(SystemError) -> [[UInt8]] {
        let names = try unsafe SystemError.whole { unsafe inspection_attribute_names(bytes, $0, $1) }
        guard let names else { return [] }
        var found: [[UInt8]] = []
        for name in names.split(separator: 0) {
            let name = name.map { CChar(bitPattern: $0) } + [0]
            let value = try unsafe SystemError.whole { unsafe inspection_attribute_value(bytes, name, $0, $1) }
            found.append(name.map { UInt8(bitPattern: $0) } + (value ?? []))
        }
        return found
    }

    /// The names in the folder, sorted.
    func names() throws(SystemError) -> [[UInt8]] {
        let folder = try open(O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        guard let stream = unsafe fdopendir(folder) else {
            let reason = errno
            close(folder)
            throw SystemError(reason)
        }
        defer { _ = unsafe closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw SystemError(errno) }
                return names.sorted { $0.lexicographicallyPrecedes($1) }
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8) && name != Array("..".utf8) { names.append(name) }
        }
    }

    func open(_ flags: Int32) throws(SystemError) -> Int32 {
        let number = unsafe Glibc.open(bytes, flags | O_CLOEXEC)
        try SystemError.check(number)
        return number
    }
}
