// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
public import MSAL
internal import UnixSocket

/// A device in the process of a test: a broker that an app's `MSALPublicClientApplication` asks through the library's real code,
/// with no daemon, no network and no file.
///
/// ```swift
/// let device = TestDevice()
/// let amara = TestWorker("amara@contoso.example")
/// let app = try device.use { try MyApp() }      // makes its MSALPublicClientApplication inside
/// device.signInsEnd(with: .worker(amara))       // whoever comes to the page of the app's next acquireToken
/// try await app.signIn()
/// device.signIn(TestWorker("bo@contoso.example")) // Amara was signed out elsewhere, Bo is here already
/// ```
public final class TestDevice: Sendable {
    /// Whether workers share the device.
    public enum Mode: Sendable {
        /// Workers share the device.
        case shared
        /// One person's device, on which there is no broker.
        case personal
    }

    private let broker: InProcessBroker
    private let connection: BrokerConnection

    /// Makes a device on which nobody is signed in.
    ///
    /// - Parameters:
    ///   - mode: whether workers share it.
    ///   - patience: how long a call waits for an answer that does not come (``TestFailure/silence``), and for a broker that is
    ///     stopped.
    ///   - now: the time by which tokens expire.
    ///   - notifications: where the library posts `SHARED_MODE_CURRENT_ACCOUNT_CHANGED`.
    public init(
        _ mode: Mode = .shared, answersWithin patience: Duration = .seconds(10),
        now: @escaping @Sendable () -> Date = { Date() }, notifications: NotificationCenter = .default
    ) {
        let broker = InProcessBroker(isShared: mode == .shared, now: now)
        var deadlines = BrokerDeadlines()
        (deadlines.connect, deadlines.hello, deadlines.silent) = (patience, patience, patience)
        // A broker that is started again is found soon.
        deadlines.pause = .milliseconds(10)
        connection = BrokerConnection(
            location: BrokerLocation(
                connect: { () throws(SocketError) in try broker.connect() }, isKnownPersonal: { broker.isPersonal }),
            deadlines: deadlines, notifications: notifications)
        self.broker = broker
    }

    deinit {
        connection.close()
        broker.change(isRunning: false)
    }

    // MARK: The app's side

    /// Makes an application that asks this device, whatever else the process does.
    ///
    /// - Throws: as `MSALPublicClientApplication(configuration:)`.
    public func application(_ configuration: MSALPublicClientApplicationConfig) throws -> MSALPublicClientApplication {
        try MSALPublicClientApplication(configuration: configuration, broker: connection)
    }

    /// Runs `body`; applications that are made inside ask this device for as long as they live.
    public func use<Value>(_ body: () throws -> Value) rethrows -> Value {
        try BrokerConnection.substitute.withValue(connection, operation: body)
    }

    /// Runs `body`; applications that are made inside, also by its child tasks, ask this device for as long as they live.
    public func use<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await BrokerConnection.substitute.withValue(connection, operation: body)
    }

    /// What reached the broker, in order: the first 10,000 calls.
    public var calls: [TestCall] { broker.withModel { $0.calls } }

    /// Returns when a call of this kind has reached the broker; at once if one has before.
    public func reached(_ call: TestCall) async { await broker.reached(call) }

    // MARK: What happens on the device

    /// The worker who is signed in; nil for nobody.
    public var signedIn: TestWorker? { broker.withModel { $0.worker } }

    /// Signs `worker` in as another app would. Whoever was signed in is signed out by it, as if both had happened while this app
    /// slept.
    public func signIn(_ worker: TestWorker) { broker.change { $0.begin(worker) } }

    /// Signs the worker out as another app would.
    public func signOut() { broker.change { $0.begin(nil) } }

    /// Says what comes of the sign-in pages that the app opens next, in this order. The person closes a page of which nothing is
    /// said.
    public func signInsEnd(with outcomes: TestSignIn...) { broker.withModel { $0.signIns += outcomes } }

    /// Ends the sign-in page that ``TestSignIn/staysOpen`` left open.
    ///
    /// - Returns: whether a page was open.
    @discardableResult
    public func finishSignIn(_ outcome: TestSignIn) -> Bool { broker.finishSignIns(outcome) }

    // MARK: What goes wrong

    /// Lets the next `times` calls of this kind fail; later ones are answered again.
    public func fail(_ call: TestCall, with failure: TestFailure, times: Int = 1) {
        broker.withModel { $0.fail(call, with: failure, times: times) }
    }

    /// Says which permissions the identity platform does not grant from now on.
    public func decline(scopes: Set<String>) { broker.withModel { $0.declinedScopes = scopes } }

    /// Stops the broker: connections end, and nobody listens.
    public func stopBroker() { broker.change(isRunning: false) }

    /// Starts the broker again, in the epoch in which it was stopped.
    public func startBroker() { broker.change(isRunning: true) }

    /// Makes the device a shared one, or a personal one.
    public func setMode(_ mode: Mode) { broker.change(isShared: mode == .shared) }
}
