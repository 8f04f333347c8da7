// SPDX-License-Identifier: Apache-2.0

#if !canImport(ObjectiveC)
    /// A pointer through which an initialiser that does not throw returns its error. On Apple's systems Foundation
    /// defines it.
    public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
#endif

/// A type that can be read from JSON.
#if canImport(ObjectiveC)
    @objc(MSALJsonDeserializable)
#endif
public protocol MSALJsonDeserializable: NSObjectProtocol {
    /// Parses `jsonString`; sets `error` if it is invalid.
    init(jsonString: String, error: NSErrorPointer)
}
