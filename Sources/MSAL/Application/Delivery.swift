// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The border between the library and an app's completion block: where errors become `NSError`s and queues are changed.
///
/// A block always runs later, never inside the call that it was given to (THR-1).
struct Delivery: Sendable {
    /// How long a block may wait for the main queue before the log says so.
    private static let patience = DispatchTimeInterval.seconds(3)

    /// Whether the call that is being started is the block form inside an `async` one, which no queue of the app concerns.
    static let startsAsynchronousCall = TaskLocal(wrappedValue: false)

    let correlation: UUID
    /// Whether the outcome goes to `async` code, which nobody sees finish with it.
    let isAsynchronous = Self.startsAsynchronousCall.get()
    private let queue: DispatchQueue
    /// Whether the queue is the main queue by default: an app that names one knows that it runs.
    private var isWatched = false

    /// For calls that a person's action starts: the main queue unless the app names one (THR-2).
    static func onMain(_ parameters: MSALParameters, correlation: UUID? = nil) -> Delivery {
        guard !startsAsynchronousCall.get() else { return inBackground(parameters, correlation: correlation) }
        let queue = parameters.completionBlockQueue
        return Delivery(correlation: correlation ?? UUID(), queue: queue ?? .main, isWatched: queue == nil)
    }

    /// For all other calls: a queue of the library unless the app names one (THR-3).
    static func inBackground(_ parameters: MSALParameters?, correlation: UUID? = nil) -> Delivery {
        let queue = startsAsynchronousCall.get() ? nil : parameters?.completionBlockQueue
        return Delivery(correlation: correlation ?? UUID(), queue: queue ?? .global())
    }

    /// Hands `outcome` to `block`, as a value or as the error that apps know.
    func deliver<Value: Sendable>(
        _ outcome: Result<Value, Fault>, to block: @escaping @Sendable (Value?, NSError?) -> Void
    ) {
        let watch = isWatched ? Self.watchMainQueue() : nil
        queue.async {
            watch?.started()
            switch outcome {
            case .success(let value): block(value, nil)
            case .failure(let fault): block(nil, fault.error(correlation: correlation))
            }
        }
    }

    /// Says in the log where the main queue does not run: the block then goes on waiting, for it was promised that queue.
    private static func watchMainQueue() -> Watch {
        let watch = Watch()
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) {
            guard watch.isWaiting else { return }
            Log.shared.error(
                "A completion block waits for the main queue, which does not run. Run it (RunLoop.main.run(), dispatchMain() "
                    + "or an async main), set completionBlockQueue, or use the async form.")
        }
        return watch
    }
}

/// Whether a block has begun to run.
private final class Watch: Sendable {
    private let hasStarted = Atomic(false)

    var isWaiting: Bool { !hasStarted.load(ordering: .relaxed) }

    func started() { hasStarted.store(true, ordering: .relaxed) }
}
