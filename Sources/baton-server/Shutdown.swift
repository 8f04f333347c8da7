// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// Stops the server on SIGTERM or SIGINT. A second signal ends the process at once.
struct Shutdown {
    /// How long the server still accepts connections after the signal, so that a load balancer can pass new connections
    /// to other nodes.
    let drain: Duration
    let readiness: Readiness
    let channels: PushChannels
    let logger: Logger

    /// Runs the services until they have stopped.
    ///
    /// - Throws: the error of a service.
    func run(_ services: ServiceGroup) async throws {
        let signals = await UnixSignalsSequence(trapping: [.sigterm, .sigint])
        let watching = Task {
            var isStopping = false
            for await signal in signals {
                if isStopping { end(signal) }
                isStopping = true
                Task { await stop(services) }
            }
        }
        defer { watching.cancel() }
        try await services.run()
    }

    /// The second half of the drain time is for the push channels. By then, load balancers know that this node is not
    /// ready, so that devices reconnect to other nodes.
    private func stop(_ services: ServiceGroup) async {
        readiness.drain()
        if drain > .zero {
            logger.notice("draining", metadata: ["seconds": "\(drain.components.seconds)"])
            do { try await Task.sleep(for: drain / 2) } catch {}
            await channels.end(over: drain / 2)
        }
        await services.triggerGracefulShutdown()
    }

    /// Everything that the server has acknowledged is durable, so the process may end at any time.
    private func end(_ signal: UnixSignal) -> Never {
        logger.notice("stopped at once by a second signal", metadata: ["signal": "\(signal)"])
        _exit(128 + signal.rawValue)
    }
}
