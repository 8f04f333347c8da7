// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A failed file operation, with the kernel's reason.
///
/// A missing file is not an error if the caller asks whether the file exists. Every other failure is an error.
package struct FileError: Error, Equatable, CustomStringConvertible {
    /// The steps that can fail.
    package enum Operation: String, Sendable {
        case lock, open, read, write, sync, rename, remove, makeDirectory, tooLarge
    }

    package let operation: Operation
    package let errno: Int32
    /// The path in the device's state directory; it contains no user name.
    package let path: String

    package init(_ operation: Operation, errno: Int32, path: String) {
        self.operation = operation
        self.errno = errno
        self.path = path
    }

    package var description: String {
        let reason = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
        return "\(operation.rawValue) \(path): \(reason)"
    }
}
