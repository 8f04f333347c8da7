// SPDX-License-Identifier: Apache-2.0

/// The border between the library and an app's completion block: where errors become `NSError`s and queues are changed.
///
/// A block always runs later, never inside the call that it was given to (THR-1).
struct Delivery: Sendable {
    let correlation: UUID
    private let queue: DispatchQueue

    /// For calls that a person's action starts: the main queue unless the app names one (THR-2).
    static func onMain(_ parameters: MSALParameters, correlation: UUID? = nil) -> Delivery {
        Delivery(correlation: correlation ?? UUID(), queue: parameters.completionBlockQueue ?? .main)
    }

    /// For all other calls: a queue of the library unless the app names one (THR-3).
    static func inBackground(_ parameters: MSALParameters?, correlation: UUID? = nil) -> Delivery {
        Delivery(correlation: correlation ?? UUID(), queue: parameters?.completionBlockQueue ?? .global())
    }

    /// Hands `outcome` to `block`, as a value or as the error that apps know.
    func deliver<Value: Sendable>(
        _ outcome: Result<Value, Fault>, to block: @escaping @Sendable (Value?, NSError?) -> Void
    ) {
        queue.async {
            switch outcome {
            case .success(let value): block(value, nil)
            case .failure(let fault): block(nil, fault.error(correlation: correlation))
            }
        }
    }
}
