// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Threads for work that blocks: sockets, files, waiting for a process.
package enum BlockingThread {
    /// Starts `body` on a new detached thread.
    ///
    /// - Throws: ``ThreadFailure`` if the process cannot create another thread.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(ThreadFailure) {
        let box = unsafe Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let outcome = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard outcome == 0 else {
            unsafe box.release()
            throw ThreadFailure(errno: outcome)
        }
        pthread_detach(thread)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

/// The process cannot create another thread.
package struct ThreadFailure: Error, Equatable {
    package let errno: Int32
}
