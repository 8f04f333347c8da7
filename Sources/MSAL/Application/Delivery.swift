// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Delivers an outcome to an app's completion block: converts errors to `NSError` and switches queues.
///
/// A block of an app always runs later, never inside the call that received it (THR-1).
struct Delivery: Sendable {
    /// How long a block may wait for the main queue before the library logs an error.
    private static let patience = DispatchTimeInterval.seconds(3)

    /// Who gets the outcome of a call.
    enum Receiver: Sendable {
        /// A block of the app.
        case block
        /// The block that the `async` form of a subclass passes to the block form. The subclass may override the block
        /// form, so the outcome may reach a block of the app. The outcome is delivered on a queue of the library, never
        /// on a queue of the app.
        case overriddenBlock
        /// The task that waits in an `async` form. Any thread may resume it directly, because resuming only schedules
        /// the task.
        case task
    }

    /// The receiver of the call that begins in this task.
    static let receiver = TaskLocal(wrappedValue: Receiver.block)

    let correlation: UUID
    /// Whether the outcome goes to `async` code. The library cannot see when that code has handled the outcome.
    var isAsynchronous: Bool { receiver != .block }
    private let receiver = Self.receiver.get()
    private let queue: DispatchQueue
    /// Whether the library logs an error if the block does not start: true if the block runs on the main queue because
    /// the app named no queue. The library does not watch a queue that the app named, because it assumes that this
    /// queue runs.
    private var isWatched = false

    /// Delivers on the main queue unless the app names a queue. Used for calls that start from a user's action (THR-2).
    static func onMain(_ parameters: MSALParameters, correlation: UUID? = nil) -> Delivery {
        guard receiver.get() == .block else { return inBackground(parameters, correlation: correlation) }
        let queue = parameters.completionBlockQueue
        return Delivery(correlation: correlation ?? .random(), queue: queue ?? .main, isWatched: queue == nil)
    }

    /// Delivers on a queue of the library unless the app names a queue. Used for all other calls (THR-3).
    static func inBackground(_ parameters: MSALParameters?, correlation: UUID? = nil) -> Delivery {
        let queue = receiver.get() == .block ? parameters?.completionBlockQueue : nil
        return Delivery(correlation: correlation ?? .random(), queue: queue ?? .global())
    }

    /// Passes `outcome` to `block` as a value or as an `NSError`.
    func deliver<Value: Sendable>(
        _ outcome: Result<Value, Fault>, to block: @escaping @Sendable (Value?, NSError?) -> Void
    ) {
        guard receiver != .task else { return pass(outcome, to: block) }
        let watch = isWatched ? Self.watchMainQueue() : nil
        queue.async {
            watch?.started()
            pass(outcome, to: block)
        }
    }

    private func pass<Value>(_ outcome: Result<Value, Fault>, to block: (Value?, NSError?) -> Void) {
        switch outcome {
        case .success(let value): block(value, nil)
        case .failure(let fault): block(nil, fault.error(correlation: correlation))
        }
    }

    /// Logs an error if the main queue does not run. The block keeps waiting for the main queue, as documented.
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

/// Records whether a block has begun to run.
private final class Watch: Sendable {
    private let hasStarted = Atomic(false)

    var isWaiting: Bool { !hasStarted.load(ordering: .relaxed) }

    func started() { hasStarted.store(true, ordering: .relaxed) }
}
