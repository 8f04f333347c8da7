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
    /// The number of bytes of the next read. It is small at first, since a few bytes show that most candidates are not
    /// streams.
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

    /// Returns the next piece; empty at the end of the stream or where the stream is damaged.
    func next() throws(SystemError) -> [UInt8] {
        while !isAtEnd {
            if used == input.count {
                input = try read(offset, wanted)
                (offset, used, wanted) = (offset + input.count, 0, Surface.chunk)
            }
            let output = step()
            if !output.isEmpty { return output }
            // There is no input and no output left.
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
                // Z_BUF_ERROR means that more input is needed.
                if outcome != Z_OK && outcome != Z_BUF_ERROR { isAtEnd = true }
            }
        }
    }
}
