// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import CLinux
package import DeviceKeyStore
package import DeviceSettings
internal import Files
internal import Glibc
internal import JSON
package import Logging
internal import SessionIPC
internal import UnixSocket

/// The session process. It serves the apps of one epoch, holds the worker's credentials, and ends with the session.
///
/// One process waits while nobody is signed in. It becomes the worker's process at the sign-in and is killed at the
/// sign-out, so that everything in its memory is gone.
package enum SessionProcessMain {
    /// Serves until the supervisor ends the connection or the process.
    ///
    /// - Parameter platform: returns the TPM that a device's configuration names.
    /// - Throws: ``SessionProcessError`` if the supervisor breaks the protocol, or an error that makes serving
    ///   impossible.
    package static func run(
        platform: (SupervisorConfiguration) -> (any TrustedPlatform)?, logger: Logger
    ) throws {
        try shut()
        let limits = Wire.sessionLimits
        let connection = FrameConnection(Descriptor(owning: SupervisorMessage.descriptor), maximumFrame: limits.bytes)
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

    /// Prevents other processes from reading this process's memory, and makes this process die when the supervisor
    /// dies.
    private static func shut() throws {
        let parent = getppid()
        for outcome in [clinux_forbid_dumps(), clinux_die_with_parent(SIGKILL)] where outcome != 0 {
            throw SessionProcessError.notShut(errno: -outcome)
        }
        // The supervisor may have died before the call to the kernel.
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
