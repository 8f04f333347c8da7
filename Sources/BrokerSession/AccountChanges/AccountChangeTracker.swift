// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceSettings
internal import OAuth
internal import Processes
internal import SessionIPC
internal import Synchronization

/// Tracks which accounts each reader of a client was told about, until the reader acknowledges that the worker has
/// left.
///
/// A reader gets its answer only after its tombstones are on disk. Until then, other requests of the same reader wait;
/// requests of other readers do not.
final class AccountChangeTracker: Sendable {
    private struct State {
        var tombstones: [AccountReader: AccountTombstones]
        /// The promises that readers wait for while the supervisor writes.
        var storing: [AccountReader: Promise<Void>] = [:]
    }

    /// The result of an attempt to change a reader's tombstones.
    private enum Change<Answer> {
        case done(Answer)
        /// The answer may be sent once these tombstones are on disk.
        case stored(Answer, [AccountTombstone], Promise<Void>)
        /// Another change of the same reader is being written to disk.
        case occupied(Promise<Void>)
    }

    private let state: Mutex<State>
    private let session: CurrentSession
    private let access: AppAccess
    private let supervisor: SupervisorLink

    init(
        tombstones: [AccountReader: [AccountTombstone]], session: CurrentSession, access: AppAccess,
        supervisor: SupervisorLink
    ) {
        state = Mutex(State(tombstones: tombstones.mapValues(AccountTombstones.init)))
        (self.session, self.access, self.supervisor) = (session, access, supervisor)
    }

    /// Returns the current account and the account that the reader saw before. Blocks until the reader's tombstones are
    /// on disk.
    func currentAccount(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        let reader = try reader(ClientRequest(call.parameters), of: call)
        let (answer, accounts) = try change(reader) { tombstones in
            let now = session.now
            let current = now.worker?.account
            let answer = CurrentAccount(
                current: current, previousHomeAccountID: tombstones.previous(current: current?.homeAccountID),
                epoch: now.epoch)
            let isNew = current.map { tombstones.tell($0.homeAccountID, in: now.epoch) } ?? false
            return ((answer, now.accounts), isNew)
        }
        return AppResponse(type: .accounts, entries: answer.entries(accounts: accounts))
    }

    /// Records that a reader has handled the departure of an account. Blocks until the record is on disk.
    func acknowledge(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        let note = try Acknowledgement(call.parameters)
        let reader = try reader(note.client, of: call)
        try change(reader) { tombstones in
            let isPast = note.epoch.counter <= session.now.epoch.counter
            guard isPast, let previous = note.previousHomeAccountID else { return ((), false) }
            return ((), tombstones.acknowledge(previous, in: note.epoch))
        }
        return AppResponse()
    }

    /// Delays an answer that contains a token until the disk holds the record that the reader was told about the
    /// worker. Even an app that signs in but never asks for the current account is therefore told when the worker
    /// leaves.
    func noting(_ call: AppRequest, _ answer: AppAnswer) throws(BrokerError) -> AppAnswer {
        switch answer {
        case .elsewhere: return answer
        case .now(let response):
            if try isNoted(call) { return answer }
            return .later { [self] in
                try await note(call)
                return response
            }
        case .later(let response):
            return .later { [self] in
                let response = try await response()
                try await note(call)
                return response
            }
        }
    }

    /// Records that the reader of this request gets a token for the worker. Returns when the record is on disk.
    func note(_ call: AppRequest) async throws {
        guard try !isNoted(call) else { return }
        let reader = try reader(ClientRequest(call.parameters), of: call)
        while true {
            switch begin(learn, of: reader) {
            case .done: return
            case .stored(_, let told, let stored):
                supervisor.tell(.storeTombstones(reader: reader, told))
                return try await stored.value()
            case .occupied(let other): try await other.value()
            }
        }
    }

    private func isNoted(_ call: AppRequest) throws(BrokerError) -> Bool {
        let reader = try reader(ClientRequest(call.parameters), of: call)
        // Baton's home screen forgets each worker without being told, and never acknowledges a change.
        guard reader.clientID != HomeScreenApp.clientID else { return true }
        let now = session.now
        guard let account = now.worker?.account else { return true }
        return state.withLock { state in
            // A change that is being written to disk is in memory already.
            state.storing[reader] == nil
                && state.tombstones[reader]?.knows(account.homeAccountID, in: now.epoch) == true
        }
    }

    private func learn(_ tombstones: inout AccountTombstones) -> (Void, Bool) {
        let now = session.now
        guard let account = now.worker?.account else { return ((), false) }
        return ((), tombstones.tell(account.homeAccountID, in: now.epoch, byQuery: false))
    }

    /// Records that the app removed the current account, or that somebody signed in through the app again. Blocks until
    /// the record is on disk. A removal applies to the whole client, so it is stored for the client's unnamed reader.
    func setRemoved(_ isRemoved: Bool, client clientID: String) throws(BrokerError) {
        guard let reader = AccountReader(clientID: clientID, name: "") else { return }
        try change(reader) { tombstones in
            let now = session.now
            guard let account = now.worker?.account else { return ((), false) }
            return ((), tombstones.setRemoved(isRemoved, account.homeAccountID, in: now.epoch))
        }
    }

    /// Returns the current account if the client removed it; nil otherwise.
    func removedAccount(client clientID: String) -> String? {
        let now = session.now
        guard let reader = AccountReader(clientID: clientID, name: ""), let account = now.worker?.account else {
            return nil
        }
        let isRemoved = state.withLock { $0.tombstones[reader]?.isRemoved(account.homeAccountID, in: now.epoch) }
        return isRemoved == true ? account.homeAccountID : nil
    }

    /// Replaces all tombstones, after the supervisor has removed old ones.
    func update(_ tombstones: [AccountReader: [AccountTombstone]]) {
        state.withLock { $0.tombstones = tombstones.mapValues(AccountTombstones.init) }
    }

    /// Records that a reader's tombstones are on disk.
    func stored(_ reader: AccountReader) {
        state.withLock { $0.storing.removeValue(forKey: reader) }?.settle(.success(()))
    }

    /// Returns the reader of a request. The client id is written as in the registry, so that each app counts as one
    /// client.
    ///
    /// - Throws: ``BrokerError`` if the app may not send this request, or if it already has the maximum number of
    ///   readers.
    private func reader(_ client: ClientRequest, of call: AppRequest) throws(BrokerError) -> AccountReader {
        let reader = try AccountReader(call.parameters, clientID: try access.app(client, in: call).clientID)
        let named = state.withLock { state in
            state.tombstones.keys.filter { $0.clientID == reader.clientID && !$0.name.isEmpty }
        }
        guard reader.name.isEmpty || named.contains(reader) || named.count < HandoverName.maximumCount
        else {
            throw BrokerError(
                .developerParameter,
                "The app already has \(HandoverName.maximumCount) readers of accounts. Use one of them.",
                reason: .readersTooMany)
        }
        return reader
    }

    /// Changes a reader's tombstones, one change at a time, and waits until they are on disk.
    ///
    /// - Parameter change: returns the answer, and whether it changed the tombstones.
    private func change<Answer: Sendable>(
        _ reader: AccountReader, _ change: (inout AccountTombstones) -> (Answer, Bool)
    ) throws(BrokerError) -> Answer {
        do {
            while true {
                switch begin(change, of: reader) {
                case .done(let answer): return answer
                case .stored(let answer, let told, let stored):
                    supervisor.tell(.storeTombstones(reader: reader, told))
                    try stored.wait()
                    return answer
                case .occupied(let other): try other.wait()
                }
            }
        } catch { throw BrokerError(reading: error) }
    }

    private func begin<Answer: Sendable>(
        _ change: (inout AccountTombstones) -> (Answer, Bool), of reader: AccountReader
    ) -> Change<Answer> {
        state.withLock { state in
            if let other = state.storing[reader] { return .occupied(other) }
            var tombstones = state.tombstones[reader] ?? AccountTombstones([])
            let (answer, isChanged) = change(&tombstones)
            guard isChanged else { return .done(answer) }
            let stored = Promise<Void>()
            state.tombstones[reader] = tombstones.told.isEmpty ? nil : tombstones
            state.storing[reader] = stored
            return .stored(answer, tombstones.told, stored)
        }
    }
}
