// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import CLinux
internal import Files
internal import Glibc
internal import JSON
package import Logging
internal import UnixSocket

/// The session process: it serves the apps of one epoch, holds the worker's credentials, and dies with the session.
///
/// One waits ready while nobody is signed in; it becomes the worker's when one signs in, and is killed at sign-out, so
/// that what it held in memory is gone by construction.
package enum SessionProcessMain {
    /// Serves until the supervisor ends the connection or the process.
    ///
    /// - Throws: ``SessionProcessError`` where the supervisor does not speak as it should, and what makes serving impossible.
    ///
    /// - Parameter platform: how to use the chip that a device's configuration names.
    package static func run(
        platform: (SupervisorConfiguration) -> (any TrustedPlatform)?, logger: Logger
    ) throws {
        try shut()
        let limits = Wire.sessionLimits
        let connection = Connection(Descriptor(owning: SupervisorMessage.descriptor), maximumFrame: limits.bytes)
        let supervisor = SupervisorLink(FramedJSON(connection, limits: limits), logger: logger)
        let (first, descriptors) = try supervisor.receive()
        guard
            case .start(
                let configuration, let epoch, let resuming, let device, let tombstones, let asked, let locks) = first
        else { throw SessionProcessError.unexpectedStart }
        let services = SessionServices(
            .init(
                configuration: configuration, epoch: epoch, device: device, tombstones: tombstones, asked: asked,
                locks: locks),
            supervisor: supervisor,
            files: DeviceFiles(root: Directory(path: configuration.directory), platform: platform(configuration)),
            logger: logger)
        if resuming {
            guard let key = descriptors.first else { throw SessionProcessError.noKey }
            try services.resume(with: MemoryKey(handedOver: key))
        }
        services.start()
        while let (message, descriptors) = try? supervisor.receive() { services.take(message, descriptors) }
    }

    /// Keeps the process's memory to itself, and its life no longer than the supervisor's.
    private static func shut() throws {
        let parent = getppid()
        for outcome in [clinux_forbid_dumps(), clinux_die_with_parent(SIGKILL)] where outcome != 0 {
            throw SessionProcessError.notShut(errno: -outcome)
        }
        // The supervisor may have died before the kernel was asked.
        guard getppid() == parent, parent != 1 else { throw SessionProcessError.orphan }
    }
}

/// Why a session process cannot serve.
package enum SessionProcessError: Error, Equatable {
    case unexpectedStart
    case noKey
    case notShut(errno: Int32)
    case orphan
}
