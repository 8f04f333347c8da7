// SPDX-License-Identifier: Apache-2.0
internal import CInspection

/// Unpacks a compressed stream piece by piece, as far as it is valid.
@safe final class Unpacker {
    /// Returns bytes at an offset, at most `count`; none at the end.
    typealias Read = (_ offset: Int, _ count: Int) throws(SystemError) -> [UInt8]

    private let stream: UnsafeMutablePointer<z_stream>
    private let read: Read
    private var offset: Int
    private var input: [UInt8] = []
    private var used = 0
    private var isAtEnd = false
    /// Most candidates are not streams, and a few bytes show it.
    private var wanted = 4096

    init(_ packing: Packing, at offset: Int, read: @escaping Read) throws(SystemError) {
        self.offset = offset
        self.read = read
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let size = Int32(unsafe MemoryLayout<z_stream>.size)
        guard unsafe inflateInit2_(stream, packing.windowBits, zlibVersion(), size) == Z_OK else {
            throw SystemError.outOfMemory
        }
    }

    deinit {
        _ = unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// The next piece; empty at the end of the stream or at damage. Everything before was returned.
    func next() throws(SystemError) -> [UInt8] {
        while !isAtEnd {
            if used == input.count {
                input = try read(offset, wanted)
                (offset, used, wanted) = (offset + input.count, 0, Surface.chunk)
            }
            let output = step()
            if !output.isEmpty { return output }
            // With no input left, the stream ends once there is no output left.
            if input.isEmpty { isAtEnd = true }
        }
        return []
    }

    private func step() -> [UInt8] {
        unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe [UInt8](unsafeUninitializedCapacity: Surface.chunk) { output, count in
                unsafe stream.pointee.next_in = input.baseAddress.map { unsafe $0 + used }
                unsafe stream.pointee.avail_in = UInt32(input.count - used)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(output.count)
                let outcome = unsafe inflate(stream, Z_NO_FLUSH)
                used = unsafe input.count - Int(stream.pointee.avail_in)
                count = unsafe output.count - Int(stream.pointee.avail_out)
                // If there is no progress, more input is needed.
                if outcome != Z_OK && outcome != Z_BUF_ERROR { isAtEnd = true }
            }
        }
    }
}
