// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Glibc

/// Runs a call that blocks on a thread of its own, so that no thread of the cooperative pool waits in it.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let box = unsafe Unmanaged.passRetained(Work { continuation.resume(with: Result { try body() }) })
        var thread = pthread_t()
        let outcome = unsafe pthread_create(
            &thread, nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, box.toOpaque())
        guard outcome == 0 else {
            unsafe box.release()
            return continuation.resume(throwing: TestProblem("no thread: error \(outcome)"))
        }
        pthread_detach(thread)
    }
}

private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// What went wrong around a test rather than in it.
package struct TestProblem: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
