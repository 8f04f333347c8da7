// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Files
import Foundation
import JSON
import Processes
import SessionIPC
import TestSupport
import UnixSocket

/// A real session process whose supervisor is the test: the test passes apps' connections to it and reads its messages.
final class SupervisedProcess: Sendable {
    let device: DeviceSnapshot
    private let channel: FramedJSON<SessionProcessMessage, SupervisorMessage>
    private let process: ChildProcess

    /// Starts a process on a shared device. Nobody is signed in.
    ///
    /// - Parameter managed: the apps that the MDM has configured, and its rules.
    init(epoch: Epoch, apps: [RegisteredApp], rules: AppPermissions = AppPermissions(), in scratch: Scratch) throws {
        var managed = ManagedSettings(
            enrolled: true, brokerManaged: true, profileShared: true, appConfigurationShared: true, apps: apps)
        managed.rules = rules
        device = DeviceSnapshot(
            mode: .shared,
            join: JoinRecord(
                tenantID: "t", deviceID: "d", loginURL: "https://login.test", certificate: "", thumbprint: ""),
            registry: .success(try AppRegistry(managed: managed, file: nil, sharedUsers: [])), endedSessions: [])
        let folder = Directory(path: scratch.path("device"))
        try DeviceFiles(root: folder).prepare()
        let (ours, theirs) = try FrameConnection.pair(maximumFrame: Wire.sessionLimits.bytes)
        try ours.descriptor.setReceiveTimeout(milliseconds: 60_000)
        channel = FramedJSON(ours, limits: Wire.sessionLimits)
        process = try ChildProcess.spawn(
            executable: try RunningProgram.built("batond"),
            arguments: SessionProcessArguments(logLevel: "error", logFormat: "text").words, environment: [:],
            descriptors: [(theirs.descriptor, as: SupervisorMessage.descriptor)])
        scratch.atEnd { [process] in
            process.kill()
            _ = try? await blocking { try process.waitForExit() }
        }
        try channel.send(
            .start(
                configuration: SupervisorConfiguration(
                    directory: folder.path, runtimeDirectory: scratch.path("run"), trustRoots: "/none", resolve: [:],
                    sessionUsers: [], checkInInterval: 900),
                epoch: epoch, resuming: false, device: device, tombstones: [:], asked: [:], locks: [:]))
    }

    /// Connects as a program of the session's user, and passes the connection to the process.
    func app() throws -> RawApp {
        let (ours, theirs) = try FrameConnection.pair(maximumFrame: RawApp.maximumFrame)
        try channel.send(
            .connection(PeerRecord(pid: 0, uid: 1000, identity: .session)), descriptors: [theirs.descriptor])
        return try RawApp(ours)
    }

    /// What the process has said so far, without its acknowledgements of connections.
    func messages() async throws -> [SessionProcessMessage] {
        try await blocking { [channel, device] in
            // The process answers in order.
            try channel.send(.device(device, change: 1))
            var messages: [SessionProcessMessage] = []
            while true {
                switch try channel.receive().0 {
                case .deviceKnown: return messages
                case .connectionTaken: continue
                case let message: messages.append(message)
                }
            }
        }
    }
}
