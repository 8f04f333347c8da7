// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
public import MSAL
internal import UnixSocket

/// A simulated device for tests. An app's `MSALPublicClientApplication` talks to the device's broker through the
/// library's real code, in the same process, without a daemon, a network or files.
///
/// ```swift
/// let device = TestDevice()
/// let amara = TestWorker("amara@contoso.example")
/// let app = try device.use { try MyApp() } // makes its MSALPublicClientApplication inside
/// device.signInsEnd(with: .worker(amara)) // Amara signs in on the page of the app's next acquireToken
/// try await app.signIn()
/// device.signIn(TestWorker("bo@contoso.example")) // Amara was signed out elsewhere, and Bo has signed in
/// ```
public final class TestDevice: Sendable {
    /// Whether workers share the device.
    public enum Mode: Sendable {
        /// Workers share the device.
        case shared
        /// The device of one person, without a broker.
        case personal
    }

    private let broker: InProcessBroker
    private let connection: BrokerConnection

    /// Makes a device on which nobody is signed in.
    ///
    /// - Parameters:
    ///   - mode: whether workers share the device.
    ///   - patience: how long a call waits for an answer that does not come (``TestFailure/silence``) or for a stopped
    ///     broker.
    ///   - now: the clock that determines when tokens expire.
    ///   - notifications: where the library posts `SHARED_MODE_CURRENT_ACCOUNT_CHANGED`.
    public init(
        _ mode: Mode = .shared, answersWithin patience: Duration = .seconds(10),
        now: @escaping @Sendable () -> Date = { Date() }, notifications: NotificationCenter = .default
    ) {
        let broker = InProcessBroker(isShared: mode == .shared, now: now)
        var deadlines = BrokerDeadlines()
        (deadlines.connect, deadlines.hello) = (patience, patience)
        (deadlines.reading, deadlines.recording, deadlines.silent) = (patience, patience, patience)
        // The library must find a restarted broker quickly.
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

    /// Makes an application that uses this device, independently of the rest of the process.
    ///
    /// - Throws: the same errors as `MSALPublicClientApplication(configuration:)`.
    public func application(_ configuration: MSALPublicClientApplicationConfig) throws -> MSALPublicClientApplication {
        try MSALPublicClientApplication(configuration: configuration, broker: connection)
    }

    /// Runs `body`. Applications made inside `body` use this device for their whole lifetime.
    public func use<Value>(_ body: () throws -> Value) rethrows -> Value {
        try BrokerConnection.substitute.withValue(connection, operation: body)
    }

    /// Runs `body`. Applications made inside `body` or its child tasks use this device for their whole lifetime.
    public func use<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await BrokerConnection.substitute.withValue(connection, operation: body)
    }

    /// The calls that reached the broker, in order; at most the first 10,000.
    public var calls: [TestCall] { broker.withModel { $0.calls } }

    /// Waits until calls of this kind have reached the broker `times` times since the device was made; returns at once
    /// if they already have. Only the first 10,000 calls are counted.
    public func reached(_ call: TestCall, times: Int = 1) async { await broker.reached(call, times: times) }

    // MARK: Events on the device

    /// The worker who is signed in; nil if nobody is.
    public var signedIn: TestWorker? { broker.withModel { $0.worker } }

    /// Hands the device to the next worker: signs the former worker out, waits until the erasers of running apps have
    /// answered, and then signs `worker` in. A real device waits for three seconds; here ``lockApps()`` ends the wait.
    public func handover(to worker: TestWorker) async {
        await broker.signOutAndSettle()
        signIn(worker)
    }

    /// Signs `worker` in as another app would.
    ///
    /// If another worker was signed in, that worker is signed out, as if the sign-out and the sign-in had happened
    /// while this app was in the background. An app whose erasers have not answered is locked until they have.
    public func signIn(_ worker: TestWorker) { broker.change { $0.begin(worker) } }

    /// Signs the worker out as another app would.
    public func signOut() { broker.change { $0.begin(nil) } }

    /// Opens the sign-in page of another app, if nobody is signed in. The app's own sign-ins are refused
    /// (``TestFailure/signInRunning``) until the test calls ``signIn(_:)`` or, if the person closes that page,
    /// ``signOut()``.
    public func openSignInOfOtherApp() { broker.withModel { $0.openOtherSignIn() } }

    /// Removes the device from its directory: the worker is signed out, and nobody can sign in any more
    /// (``TestFailure/deviceRemoved``).
    public func removeDevice() { broker.change { $0.remove() } }

    /// Announces the end of the session to the app's `Handover`. ``signOut()`` then ends the session.
    public func announceEnd(within patience: Duration = .milliseconds(500)) {
        let (seconds, attoseconds) = patience.components
        broker.announceEnd(milliseconds: Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }

    /// Ends the time in which erasers must answer. An app with an eraser that has not answered is locked: its calls are
    /// refused until each of its erasers has answered.
    public func lockApps() { broker.lockApps() }

    /// Ends the time in which erasers must answer, as on a device that takes the app's data away (`dataFolders` of the
    /// app's registration). The app then has nothing left to erase. The test must remove the folders, close the app's
    /// `Handover` and create the app's objects again, because a real device ends the app's processes.
    public func takeAppData() { broker.change { $0.takeData() } }

    /// The names of the erasers that have not erased the data of a former worker.
    public var owedErasers: Set<String> { broker.withModel { Set($0.erasers.owed.keys.map(\.name)) } }

    /// Whether the app has reported unsaved work of the signed-in worker.
    public var hasUnsavedWork: Bool { broker.withModel { $0.hasUnsavedWork } }

    /// Sets the outcomes of the next sign-in pages that the app opens, in this order.
    ///
    /// If no outcome is left for a page, the user closes the page.
    public func signInsEnd(with outcomes: TestSignIn...) { broker.withModel { $0.signIns += outcomes } }

    /// Ends the sign-in page that ``TestSignIn/staysOpen`` left open.
    ///
    /// - Returns: whether a page was open.
    @discardableResult
    public func finishSignIn(_ outcome: TestSignIn) -> Bool { broker.finishSignIns(outcome) }

    // MARK: Failures

    /// Makes the next `times` calls of this kind fail; later calls succeed again.
    public func fail(_ call: TestCall, with failure: TestFailure, times: Int = 1) {
        broker.withModel { $0.fail(call, with: failure, times: times) }
    }

    /// Sets the permissions that the identity platform does not grant from now on.
    public func decline(scopes: Set<String>) { broker.withModel { $0.declinedScopes = scopes } }

    /// Stops the broker: its connections end, and new connections are refused.
    public func stopBroker() { broker.change(isRunning: false) }

    /// Starts the broker again, in the epoch in which it was stopped.
    public func startBroker() { broker.change(isRunning: true) }

    /// Makes the device shared or personal.
    public func setMode(_ mode: Mode) { broker.change(isShared: mode == .shared) }
}
