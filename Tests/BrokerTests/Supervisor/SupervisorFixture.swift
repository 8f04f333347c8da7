// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import BrowserPolicies
import DeviceKeyStore
import DeviceSettings
import Files
import Foundation
import Glibc
import JSON
import Logging
import MDMClient
import Processes
import SessionIPC
import Synchronization
import TestSupport
import Testing
import UnixSocket

/// A real supervisor with its own folder, inside the test's process. The test posts the messages that would arrive from
/// the supervisor's sockets and session process. The session processes themselves read their input and do not send
/// anything.
final class SupervisorFixture: Sendable {
    let scratch: Scratch
    let inputs = Mailbox<SupervisorInput>()
    let clock = HandClock()
    let device: FakeDevice
    /// The states that the supervisor reported for the server.
    private let watched = Mutex<[WatchedSession]>([])
    var statements: [WatchedSession] { watched.withLock(\.self) }
    /// The messages to the session processes.
    private let received: ReceivedMessages
    private let ended = Promise<Void>()
    private static let links = Atomic<UInt64>(0)

    /// A shared device whose MDM has no more commands.
    final class FakeDevice: MDMClientInterface {
        let stages = Mutex<[SessionStage]>([])
        private let sessionPolicy = Mutex(SessionPolicyOverride())
        private let isShared = Mutex(true)
        private let browser = Mutex(BrowserConfiguration.standard)
        private let homeScreen = Mutex<String?>(nil)
        private let apps = Mutex<[RegisteredApp]>([])

        var settings: ManagedSettings {
            var settings = ManagedSettings(
                enrolled: true, brokerManaged: true, profileShared: isShared.withLock(\.self),
                appConfigurationShared: true, apps: apps.withLock(\.self))
            settings.sessionPolicy = sessionPolicy.withLock(\.self)
            settings.browser = browser.withLock(\.self)
            settings.homeScreen = homeScreen.withLock(\.self)
            return settings
        }
        /// The MDM has removed the profile that makes the device shared.
        func isSharedNoMore() { isShared.withLock { $0 = false } }
        /// The MDM installs these apps.
        func set(apps installed: [RegisteredApp]) { apps.withLock { $0 = installed } }
        /// The MDM sets this session policy.
        func set(sessionPolicy wishes: SessionPolicyOverride) { sessionPolicy.withLock { $0 = wishes } }
        /// The MDM sets this configuration of the worker's browser.
        func set(browser decided: BrowserConfiguration) { browser.withLock { $0 = decided } }
        /// The MDM's configuration of the home screen is published in this version.
        func set(homeScreen version: String?) { homeScreen.withLock { $0 = version } }
        func declare() throws {}
        func session(is stage: SessionStage) { stages.withLock { $0.append(stage) } }
        func enroll(profile: String, answer: @escaping @Sendable (OperatorReply) -> Void) { answer(.done) }
        func unenroll(answer: @escaping @Sendable (OperatorReply) -> Void) { answer(.done) }
        func checkIn(answer: @escaping @Sendable (OperatorReply) -> Void) { answer(.done) }
    }

    /// Starts a supervisor in `scratch`, with new state or with the state of an earlier supervisor.
    ///
    /// - Parameter sessionProcess: the program of the session process, as a shell script.
    private init(_ scratch: Scratch, isJoined: Bool, sessionProcess: String) throws {
        self.scratch = scratch
        device = FakeDevice()
        let root = Directory(path: scratch.path("device"))
        try root.make()
        let files = DeviceFiles(root: root)
        if try root.names().isEmpty {
            var random = SystemRandomNumberGenerator()
            try files.prepare()
            try files.write(JournalRecord.ready(Epoch(random: &random, counter: 1)))
        }
        let record = JoinRecord(
            tenantID: "t", deviceID: "d", loginURL: "https://login.test", certificate: "", thumbprint: "")
        if try isJoined && files.join() == nil { try files.write(record) }
        if !isJoined { try root.file("join.json").remove() }
        try scratch.writeProgram("#!/bin/sh\n\(sessionProcess)\n", to: "sessionProcess")
        // The pipe is opened for both directions, so that neither end waits for the other.
        received = ReceivedMessages(try FileHandle(forUpdating: URL(filePath: try Self.pipe(scratch.path("heard")))))
    }

    static func with(
        _ scratch: Scratch, isJoined: Bool = true, sessionProcess: String? = nil, helper: String? = nil,
        helloPatience: Duration = .seconds(600), inspect: @escaping @Sendable () -> [CheckResult] = { [] },
        _ body: (SupervisorFixture) async throws -> Void
    ) async throws {
        let fixture = try SupervisorFixture(
            scratch, isJoined: isJoined,
            // This pipe is also opened for both directions; otherwise a process that starts after the fixture has ended
            // would wait forever.
            sessionProcess: sessionProcess ?? "exec /bin/cat <&3 1<>\(scratch.path("heard"))")
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let service = SupervisorService(
            configuration: SupervisorConfiguration(
                directory: scratch.path("device"), runtimeDirectory: scratch.path("run"), trustRoots: "/none",
                resolve: [:], sessionUsers: [], checkInInterval: 900, helper: helper),
            device: fixture.device, inputs: fixture.inputs, executable: scratch.path("sessionProcess"), logger: logger,
            clock: fixture.clock.supervisorClock, helloPatience: helloPatience,
            watch: { session in fixture.watched.withLock { $0.append(session) } }, inspect: inspect)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await service.run() } catch {
                    fixture.ended.settle(.failure(error))
                    throw error
                }
                fixture.ended.settle(.failure(CancellationError()))
            }
            do { try await body(fixture) } catch {
                fixture.inputs.post(.stop)
                throw error
            }
            fixture.inputs.post(.stop)
            try await group.waitForAll()
        }
    }

    /// Creates a new pipe. It replaces the pipe of an earlier supervisor, because that pipe may hold unread messages.
    private static func pipe(_ path: String) throws -> String {
        guard unsafe unlink(path) == 0 || errno == ENOENT, unsafe mkfifo(path, 0o600) == 0 else {
            throw TestProblem("mkfifo: error \(errno)")
        }
        return path
    }

    /// Waits for the next message of one of these kinds to a session process. Each message is returned once, in order.
    func sessionProcessReceives(_ kinds: ReceivedMessages.Kind...) async throws -> SupervisorMessage {
        let received = received
        return try await blocking { try received.next(kinds) }
    }

    /// Sends an operator's request. When the answer arrives, everything posted before has been handled.
    func ask(_ request: OperatorRequest) async throws -> OperatorReply {
        let answer = Promise<OperatorReply>()
        ended.whenSettled { if case .failure(let error) = $0 { answer.settle(.failure(error)) } }
        inputs.post(.operatorAsked(request) { answer.settle(.success($0)) })
        return try await answer.value()
    }

    /// Sends a request without waiting for the answer.
    func order(_ request: OperatorRequest) { inputs.post(.operatorAsked(request) { _ in }) }

    func status() async throws -> DeviceStatus {
        guard case .status(let status) = try await ask(.status) else { throw TestProblem("no status") }
        return status
    }

    /// Returns the doctor's finding with this code.
    func finding(_ code: String) async throws -> CheckResult? {
        guard case .diagnosis(let diagnosis) = try await ask(.examine) else { throw TestProblem("no diagnosis") }
        return diagnosis.findings.first { $0.code == code }
    }

    /// The device's epoch, from the supervisor's status.
    func epoch() async throws -> Epoch { try #require(try await status().epoch) }

    /// Posts a message from the session process with this number.
    func sessionProcessSends(
        _ message: SessionProcessMessage, _ descriptors: [Descriptor] = [], sessionProcess: UInt64 = 1
    ) {
        inputs.post(.sessionProcessSent(message, descriptors, sessionProcess: sessionProcess))
    }

    /// Returns an agent of `user` that has connected and said hello.
    func agent(of user: UInt32) throws -> FakeAgent {
        let (ours, theirs) = try FrameConnection.pair(maximumFrame: Wire.agentOrderLimits.bytes)
        try ours.descriptor.setReceiveTimeout(milliseconds: 120_000)
        let id = Self.links.add(1, ordering: .relaxed).newValue
        let channel = FramedJSON<AgentMessage, AgentOrder>(theirs, limits: Wire.agentLimits)
        inputs.post(.agentConnected(AgentLink(id: id, user: user, channel: channel, logger: Logger(label: "test"))))
        return FakeAgent(id: id, channel: FramedJSON(ours, limits: Wire.agentOrderLimits), inputs: inputs)
    }

    /// The journal's current content.
    func journal() throws -> JournalRecord? {
        try DeviceFiles(root: Directory(path: scratch.path("device"))).journal()
    }

    /// The trigger of the committed sign-out.
    func trigger() throws -> SignOutTrigger? {
        guard case .signingOut(let commit) = try journal() else { return nil }
        return commit.trigger
    }

    /// Signs a worker in through a browser of this agent.
    ///
    /// - Returns: the epoch's id.
    func signIn(through agent: FakeAgent, sessionProcess: UInt64 = 1) async throws -> Epoch.ID {
        sessionProcessSends(.signInRequested(requestID: 1), sessionProcess: sessionProcess)
        sessionProcessSends(.browserWanted(url: "http://127.0.0.1:1/x"), sessionProcess: sessionProcess)
        guard case .open(_, let epoch, _, _) = try await agent.order() else { throw TestProblem("no browser") }
        sessionProcessSends(.signInSucceeded, sessionProcess: sessionProcess)
        #expect(try await status().session == "signedIn")
        return epoch
    }

    /// Ends a session in which these processes have registered these erasers; the browser is cleared.
    ///
    /// - Returns: the epoch that ended.
    func signOut(_ erasers: [(AppEraser, ProcessTable.Name)]) async throws -> Epoch {
        let agent = try agent(of: 1000)
        let id = try await signIn(through: agent)
        let epoch = try await epoch()
        for (number, (eraser, process)) in erasers.enumerated() {
            let requestID = UInt64(100 + number)
            sessionProcessSends(.eraserEnlisted(eraser, process, epoch: epoch, requestID: requestID))
            #expect(
                try await sessionProcessReceives(.appSettled) == .appSettled(requestID: requestID, accepted: true))
        }
        order(.signOut(fromBrowser: false))
        guard case .close = try await agent.order() else { throw TestProblem("no order") }
        agent.say(.closed(epoch: id))
        // The answer shows that the messages have been handled, so the clock may advance.
        _ = try await status()
        return epoch
    }
}

/// The agent's end of a connection.
struct FakeAgent: Sendable {
    let id: AgentLink.ID
    let channel: FramedJSON<AgentOrder, AgentMessage>
    let inputs: Mailbox<SupervisorInput>

    func order() async throws -> AgentOrder { try await channel.order() }

    func say(_ message: AgentMessage) { inputs.post(.agentSaid(id, message)) }

    /// The agent dies.
    func leave() { inputs.post(.agentLost(id)) }

    /// Whether the supervisor has closed the connection.
    func isCutOff() async throws -> Bool {
        let connection = channel.connection
        return try await blocking {
            do throws(FrameConnection.ReadFailure) { _ = try connection.read() } catch { return error == .ended }
            return false
        }
    }
}

extension FramedJSON<AgentOrder, AgentMessage> {
    /// Returns the next order, skipping the address of the sign-in pages.
    func order() async throws -> AgentOrder {
        while true {
            let order = try await blocking { try receive().message }
            guard case .signIn = order else { return order }
        }
    }
}
