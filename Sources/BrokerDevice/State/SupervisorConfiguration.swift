// SPDX-License-Identifier: Apache-2.0
package import Files

/// What `batond` must be told; everything else it finds in its state directory or gets from the MDM.
package struct SupervisorConfiguration: Sendable, Codable, Equatable {
    /// The folder of the device's state; belongs to the broker's user alone.
    package let directory: String
    /// The folder of the sockets.
    package let runtimeDirectory: String
    /// A PEM file with the certificates to trust; nothing else is trusted.
    package let trustRoots: String
    /// Host name → address, for names that no resolver knows.
    package let resolve: [String: String]
    /// User ids whose apps may connect beside the broker's own.
    package let sessionUsers: [UInt32]
    /// Seconds between two questions to the MDM.
    package let checkInInterval: Int
    /// The device's own registry of apps; nil for none.
    package let appRegistry: String?
    package let sessionPolicy: SessionPolicy
    /// The TPM with the device's keys, as the TPM2 Software Stack takes it; nil where they are files.
    package let tpm: String?

    package init(
        directory: String, runtimeDirectory: String, trustRoots: String, resolve: [String: String],
        sessionUsers: [UInt32], checkInInterval: Int, appRegistry: String? = nil,
        sessionPolicy: SessionPolicy = .standard,
        tpm: String? = nil
    ) {
        self.directory = directory
        self.runtimeDirectory = runtimeDirectory
        self.trustRoots = trustRoots
        self.resolve = resolve
        self.sessionUsers = sessionUsers
        self.checkInInterval = checkInInterval
        self.appRegistry = appRegistry
        self.sessionPolicy = sessionPolicy
        self.tpm = tpm
    }

    package var brokerSocket: String { runtimeDirectory + "/broker.sock" }
    /// The sockets of apps that have one of their own and that the service manager did not make.
    package var appSockets: Directory { Directory(path: runtimeDirectory + "/apps") }
    package var agentSocket: String { runtimeDirectory + "/agent.sock" }
    package var operatorSocket: String { runtimeDirectory + "/control.sock" }
}
