// SPDX-License-Identifier: Apache-2.0

/// What every call takes.
///
/// Like all parameters, an object of this class belongs to one thread at a time; a call takes what it needs of it before it
/// returns.
#if canImport(ObjectiveC)
    @objc(MSALParameters) @objcMembers
#endif
open class MSALParameters: NSObject {
    /// The queue that the completion block runs on (THR-1).
    ///
    /// nil stands for the main queue (`acquireToken`, `signout`) or a queue of the library (all other calls).
    open var completionBlockQueue: DispatchQueue?

    /// Makes parameters that leave everything to the call.
    public override init() { super.init() }
}
