// SPDX-License-Identifier: Apache-2.0
package import Files

/// The configuration of `batond`. Everything else is in its state directory or comes from the MDM.
package struct SupervisorConfiguration: Sendable, Codable, Equatable {
    /// The folder of the device's state. It belongs to the broker's user alone.
    package let directory: String
    /// The folder of the sockets.
    package let runtimeDirectory: String
    /// A PEM file with the trusted certificates. Nothing else is trusted.
    package let trustRoots: String
    /// Host name → address, for names that the resolver does not resolve.
    package let resolve: [String: String]
    /// The user ids whose apps may connect, besides the broker's own.
    package let sessionUsers: [UInt32]
    /// Seconds between two check-ins with the MDM.
    package let checkInInterval: Int
    /// The device's own registry of apps; nil for none.
    package let appRegistry: String?
    package let sessionPolicy: SessionPolicy
    /// The TPM that keeps the device's keys, in the configuration format of the TPM2 Software Stack; nil if the keys
    /// are files.
    package let tpm: String?
    /// The path of the socket of `baton-helper`; nil if the device has none.
    package let helper: String?
    /// For how many days receipts are kept.
    package let receiptDays: Int
    package static let standardReceiptDays = 400

    package init(
        directory: String, runtimeDirectory: String, trustRoots: String, resolve: [String: String],
        sessionUsers: [UInt32], checkInInterval: Int, appRegistry: String? = nil,
        sessionPolicy: SessionPolicy = .standard,
        tpm: String? = nil, helper: String? = nil, receiptDays: Int = standardReceiptDays
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
        self.helper = helper
        self.receiptDays = receiptDays
    }

    package var brokerSocket: String { runtimeDirectory + "/broker.sock" }
    /// The folder in which the broker creates the sockets of apps that have a socket of their own, unless the service
    /// manager passes such a socket.
    package var appSockets: Directory { Directory(path: runtimeDirectory + "/apps") }
    package var agentSocket: String { runtimeDirectory + "/agent.sock" }
    package var operatorSocket: String { runtimeDirectory + "/control.sock" }
    package var statusSocket: String { runtimeDirectory + "/status.sock" }
}
