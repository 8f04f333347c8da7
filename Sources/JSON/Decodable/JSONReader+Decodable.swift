// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// Reads the whole of `bytes` as one value of a Swift type, for messages whose shape is a type's own.
    ///
    /// A number must be exactly one of the type that is asked for. Foundation's `Data`, `Date` and `URL` are not among
    /// the types: encoders and decoders do not agree on how they are written.
    ///
    /// - Throws: ``JSONFailure``, or a `DecodingError`, which holds names and no content.
    package static func read<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], limits: JSONLimits
    ) throws -> Value {
        try Value(from: ValueDecoder(value: try read(bytes, limits: limits), codingPath: []))
    }
}
