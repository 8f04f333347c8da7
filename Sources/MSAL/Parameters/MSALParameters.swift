// SPDX-License-Identifier: Apache-2.0

/// The parameters that every call accepts.
///
/// A parameters object must be used by one thread at a time. A call copies what it needs before it returns.
#if canImport(ObjectiveC)
    @objc(MSALParameters) @objcMembers
#endif
open class MSALParameters: NSObject {
    /// The queue that the completion block runs on (THR-1).
    ///
    /// nil means the main queue (`acquireToken`, `signout`) or a queue of the library (all other calls).
    open var completionBlockQueue: DispatchQueue?

    /// Makes parameters with default values.
    public override init() { super.init() }
}
