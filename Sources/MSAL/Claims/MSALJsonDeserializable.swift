// SPDX-License-Identifier: Apache-2.0

#if !canImport(ObjectiveC)
    /// Where an initialiser that does not throw puts its error; Foundation has this on Apple's systems only.
    public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
#endif

/// What can be read from JSON.
#if canImport(ObjectiveC)
    @objc(MSALJsonDeserializable)
#endif
public protocol MSALJsonDeserializable: NSObjectProtocol {
    /// Reads `jsonString`; what is wrong with it goes into `error`.
    init(jsonString: String, error: NSErrorPointer)
}
