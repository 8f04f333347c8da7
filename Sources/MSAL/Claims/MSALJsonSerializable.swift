// SPDX-License-Identifier: Apache-2.0

/// What can be written as JSON.
#if canImport(ObjectiveC)
    @objc(MSALJsonSerializable)
#endif
public protocol MSALJsonSerializable: NSObjectProtocol {
    /// The JSON text; nil where there is none.
    func jsonString() -> String?
}
