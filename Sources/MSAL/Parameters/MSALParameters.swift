// SPDX-License-Identifier: Apache-2.0

/// What every call takes.
open class MSALParameters: NSObject {
    /// The queue that the completion block runs on; nil leaves the choice to the call.
    open var completionBlockQueue: DispatchQueue?
}
