// SPDX-License-Identifier: Apache-2.0

/// A type that can be written as JSON.
#if canImport(ObjectiveC)
    @objc(MSALJsonSerializable)
#endif
public protocol MSALJsonSerializable: NSObjectProtocol {
    /// Returns the JSON text; nil if the object cannot be represented.
    func jsonString() -> String?
}
