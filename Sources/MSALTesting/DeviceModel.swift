// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import MSAL

/// Computes the answers of a shared device's broker. This value type follows the rules of the real broker as far as an
/// app can observe them.
struct DeviceModel {
    /// What the broker does with a request.
    enum Answer: Equatable {
        case reply(FlatMap)
        case refusal(BrokerError)
        /// A reply that begins a new epoch: every connection ends after this reply.
        case newEpoch(FlatMap)
        /// A reply after which an app is no longer locked.
        case unlocking(FlatMap)
        /// The sign-in page stays open.
        case staysOpen
        case lostConnection
        case garbage
        case silence
    }

    private(set) var epoch: Epoch
    private(set) var worker: TestWorker?
    private(set) var calls: [TestCall] = []
    private(set) var erasers = TestErasers()
    /// Whether the app has reported unsaved work in this epoch.
    private(set) var hasUnsavedWork = false
    /// Whether another app's sign-in page is open.
    private var isOtherSigningIn = false
    /// Whether the directory has removed the device.
    private var isRemoved = false
    /// The outcomes of the next sign-in pages, in order. If no outcome is left for a page, the user closes the page.
    var signIns: [TestSignIn] = []
    /// Permissions that the identity platform does not grant.
    var declinedScopes: Set<String> = []
    private var failures: [TestCall: [TestFailure]] = [:]
    private var tombstones: [AccountReader: AccountTombstones] = [:]
    private var tokens = 0
    private let now: @Sendable () -> Date

    /// The maximum number of recorded calls.
    private static let maximumCalls = 10_000

    init(now: @escaping @Sendable () -> Date) {
        var random = SystemRandomNumberGenerator()
        epoch = Epoch(random: &random, counter: 1)
        self.now = now
    }

    static let device = DeviceInfo(
        mode: .shared, reason: "configured", brokerVersion: "test",
        registration: DeviceInfo.Registration(
            deviceID: "00000000-0000-0000-0000-00000000d001", tenantID: TestWorker.tenantId,
            cloudHost: TestWorker.host, thumbprint: String(repeating: "0", count: 40)))

    func count(of call: TestCall) -> Int { calls.count { $0 == call } }

    mutating func fail(_ call: TestCall, with failure: TestFailure, times: Int) {
        failures[call, default: []] += Array(repeating: failure, count: times)
    }

    /// Begins the next epoch, in which `worker` is signed in; if `worker` is nil, nobody is signed in.
    mutating func begin(_ worker: TestWorker?) {
        let end = Int(now().timeIntervalSince1970)
        tombstones = tombstones.mapValues { known in
            AccountTombstones(
                known.told.map { tombstone in
                    var tombstone = tombstone
                    if tombstone.epoch == epoch { tombstone.endedAt = end }
                    return tombstone
                })
        }
        if self.worker != nil { erasers.end(epoch) }
        // Nobody signs in before the erasers have answered or their time is over.
        if worker != nil { erasers.lock() }
        (hasUnsavedWork, isOtherSigningIn) = (false, false)
        var random = SystemRandomNumberGenerator()
        epoch = Epoch(random: &random, counter: epoch.counter + 1)
        self.worker = worker
    }

    /// Another app opens a sign-in page, if nobody is signed in.
    mutating func openOtherSignIn() { isOtherSigningIn = worker == nil }

    /// The directory removes the device, which ends the session.
    mutating func remove() {
        begin(nil)
        isRemoved = true
    }

    /// Ends the time in which erasers must answer: locks each app with an eraser that has not answered.
    mutating func lockApps() { erasers.lock() }

    /// The device takes away the data that apps have not erased.
    mutating func takeData() { erasers.take() }

    mutating func answer(_ request: Request) -> Answer {
        if let call = TestCall.allCases.first(where: { $0.operation == request.operation }) {
            if calls.count < Self.maximumCalls { calls.append(call) }
            if let failure = failures[call]?.first {
                failures[call]?.removeFirst()
                return Self.answer(failure)
            }
        }
        do throws(BrokerError) { return try respond(request) } catch { return .refusal(error) }
    }

    /// Applies the outcome of a sign-in page.
    mutating func signIn(_ request: Request, _ outcome: TestSignIn) -> Answer {
        switch outcome {
        case .staysOpen: return .staysOpen
        case .failure(let failure): return Self.answer(failure)
        case .worker(let worker):
            do throws(BrokerError) {
                let wanted = try TokenRequest(request.parameters)
                begin(worker)
                return .newEpoch(try token(wanted, of: worker, for: request))
            } catch { return .refusal(error) }
        }
    }

    private static func answer(_ failure: TestFailure) -> Answer {
        switch failure.kind {
        case .refusal(let error): .refusal(error)
        case .lostConnection: .lostConnection
        case .garbage: .garbage
        case .silence: .silence
        }
    }

    private mutating func respond(_ request: Request) throws(BrokerError) -> Answer {
        let map = request.parameters
        let client = try ClientRequest(map)
        guard !erasers.locked.contains(client.clientID) || Self.served.contains(request.operation) else {
            throw BrokerError(.appLocked, "")
        }
        switch request.operation {
        case .getDeviceInfo: return .reply(Self.response(to: request))
        case .getAccounts:
            let accounts = AccountsResponse(
                accounts: worker.map { [$0.record] } ?? [], removedHomeAccountID: try removed(by: client))
            return .reply(Self.response(to: request, .accounts, accounts.entries))
        case .currentAccount: return .reply(try currentAccount(request, client))
        case .acknowledgeAccount:
            let note = try Acknowledgement(map)
            let reader = try reader(map, of: client)
            if note.epoch.counter <= epoch.counter, let previous = note.previousHomeAccountID {
                change(reader) { known, _ in _ = known.acknowledge(previous, in: note.epoch) }
            }
            return .reply(Self.response(to: request))
        case .refresh: return .reply(try silentToken(request, client))
        case .login: return try login(request, client)
        case .signOut: return try signOut(request)
        case .removeAccount:
            let wanted = try RemoveAccountRequest(map)
            if let worker, wanted.means(worker.record) { try setRemoved(true, worker, by: client) }
            return .reply(Self.response(to: request))
        case .deviceToken:
            let token = DeviceTokenResponse(
                authority: "https://\(TestWorker.host)/\(TestWorker.tenantId)", accessToken: nextToken(),
                scopes: map.words(.scope), expiresOn: Int(expiry.timeIntervalSince1970))
            return .reply(Self.response(to: request, .deviceToken, token.entries))
        case .epoch:
            var answer = FlatMap([.epoch: epoch.description])
            answer[.endedEpoch] = erasers.owed[try TestErasers.eraser(map, client)]?.description
            return .reply(Self.response(to: request, .generic, answer))
        case .registerEraser, .unsavedWork: return .reply(try change(request, client))
        case .acknowledge:
            let response = Self.response(to: request)
            return try erasers.settle(EraserReport(map), in: epoch) ? .unlocking(response) : .reply(response)
        case .readyToEnd, .activity: return .reply(Self.response(to: request))
        default: throw BrokerError(.unsupported, "A test device does not know the operation.")
        }
    }

    /// The operations that a locked app may use.
    private static let served: Set<BrokerProtocol.Operation> = [.getDeviceInfo, .epoch, .acknowledge]

    /// Records an app's eraser or unsaved work, which belong to a session.
    private mutating func change(_ request: Request, _ client: ClientRequest) throws(BrokerError) -> FlatMap {
        guard worker != nil else { throw BrokerError(.interactionRequired, "", reason: .nobody) }
        if request.operation == .registerEraser {
            try erasers.register(TestErasers.eraser(request.parameters, client))
        } else {
            hasUnsavedWork = try UnsavedWorkReport(request.parameters).isUnsaved
        }
        return Self.response(to: request)
    }

    private static func response(
        to request: Request, _ type: ResponseType = .generic, _ entries: FlatMap = FlatMap()
    ) -> FlatMap {
        .response(to: request.operation, type: type, device: device, entries: entries)
    }

    // MARK: Accounts

    private mutating func currentAccount(_ request: Request, _ client: ClientRequest) throws(BrokerError) -> FlatMap {
        let epoch = epoch
        var previous: String?
        change(try reader(request.parameters, of: client)) { tombstones, current in
            previous = tombstones.previous(current: current)
            if let current { _ = tombstones.tell(current, in: epoch) }
        }
        let answer = CurrentAccount(current: worker?.record, previousHomeAccountID: previous, epoch: epoch)
        return Self.response(to: request, .accounts, answer.entries)
    }

    /// Returns the reader of a request. As with the real broker, a client has at most 16 named readers that have seen
    /// an account and have not acknowledged that it has left. A restart of the app does not change their number.
    private func reader(_ map: FlatMap, of client: ClientRequest) throws(BrokerError) -> AccountReader {
        let reader = try AccountReader(map, clientID: client.clientID)
        let named = tombstones.keys.filter { $0.clientID == reader.clientID && !$0.name.isEmpty }
        guard reader.name.isEmpty || named.contains(reader) || named.count < HandoverName.maximumCount else {
            throw BrokerError(
                .developerParameter,
                "The app already has \(HandoverName.maximumCount) readers of accounts. Use one of them.",
                reason: .readersTooMany)
        }
        return reader
    }

    /// Changes the record of the accounts that a reader has seen. The block also gets the identifier of the current
    /// account.
    private mutating func change(_ reader: AccountReader, _ body: (inout AccountTombstones, String?) -> Void) {
        var known = tombstones[reader] ?? AccountTombstones([])
        body(&known, worker?.identifier)
        tombstones[reader] = known.told.isEmpty ? nil : known
    }

    private mutating func setRemoved(
        _ isRemoved: Bool, _ worker: TestWorker, by client: ClientRequest
    ) throws(BrokerError) {
        let epoch = epoch
        change(try reader(FlatMap(), of: client)) { known, _ in
            _ = known.setRemoved(isRemoved, worker.identifier, in: epoch)
        }
    }

    private func removed(by client: ClientRequest) throws(BrokerError) -> String? {
        let reader = try AccountReader(FlatMap(), clientID: client.clientID)
        guard let worker, tombstones[reader]?.isRemoved(worker.identifier, in: epoch) == true else { return nil }
        return worker.identifier
    }

    // MARK: Tokens

    private mutating func silentToken(_ request: Request, _ client: ClientRequest) throws(BrokerError) -> FlatMap {
        let wanted = try TokenRequest(request.parameters)
        try wanted.checkAccount()
        guard try removed(by: client) == nil else {
            throw BrokerError(.interactionRequired, because: .accountRemoved)
        }
        guard let worker else { throw BrokerError(.interactionRequired, "", reason: .nobody) }
        guard wanted.means(worker.record) else {
            throw BrokerError(.interactionRequired, "", reason: .otherAccount)
        }
        return try token(wanted, of: worker, for: request)
    }

    private mutating func login(_ request: Request, _ client: ClientRequest) throws(BrokerError) -> Answer {
        let wanted = try TokenRequest(request.parameters)
        guard let worker else {
            guard !isRemoved else { throw BrokerError(.interactionRequired, because: .deviceRemoved) }
            guard !isOtherSigningIn else { throw BrokerError(.interactionRunning, "") }
            return signIn(request, signIns.isEmpty ? .canceled : signIns.removeFirst())
        }
        guard wanted.means(worker.record) else { throw BrokerError(.mismatchedAccount, "", reason: .otherAccount) }
        guard wanted.prompt != "login", wanted.prompt != "create" else {
            throw BrokerError(.mismatchedAccount, "", reason: .alreadySignedIn)
        }
        try setRemoved(false, worker, by: client)
        return .reply(try token(wanted, of: worker, for: request))
    }

    private mutating func signOut(_ request: Request) throws(BrokerError) -> Answer {
        let wanted = try SignOutRequest(request.parameters)
        guard let worker else { return .reply(Self.response(to: request)) }
        guard worker.identifier.lowercased() == wanted.homeAccountID.lowercased() else {
            throw BrokerError(.mismatchedAccount, "", reason: .otherAccount)
        }
        begin(nil)
        return .newEpoch(Self.response(to: request))
    }

    private mutating func token(
        _ wanted: TokenRequest, of worker: TestWorker, for request: Request
    ) throws(BrokerError) -> FlatMap {
        let granted = wanted.scopes.filter { !declinedScopes.contains($0) }
        let response = worker.token(nextToken(), scopes: granted, expiresOn: expiry)
        let epoch = epoch
        change(try reader(request.parameters, of: wanted.client)) { known, current in
            if let current { _ = known.tell(current, in: epoch, byQuery: false) }
        }
        return Self.response(to: request, .token, response.entries)
    }

    private var expiry: Date { now().addingTimeInterval(3600) }

    private mutating func nextToken() -> String {
        tokens += 1
        return "test-token-\(tokens)"
    }
}
