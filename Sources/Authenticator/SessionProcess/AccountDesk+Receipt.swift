// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Synchronization

extension AccountDesk {
    /// How long the tokens live that apps were given in this session, as the supervisor knows it.
    struct TokenLife {
        /// No token that lives longer has to be told of.
        private var noted = 0
        private var waiting: [(until: Int, promise: Promise<Void>)] = []

        /// What has to be waited for before a token that lives until `time` is given; nil where nothing has.
        mutating func wait(until time: Int) -> Promise<Void>? {
            guard time > noted else { return nil }
            let promise = Promise<Void>()
            waiting.append((time, promise))
            return promise
        }

        /// The supervisor knows of a token that lives until `time`; gives whom to tell.
        mutating func note(until time: Int) -> [Promise<Void>] {
            noted = max(noted, time)
            let done = waiting.filter { $0.until <= noted }.map(\.promise)
            waiting.removeAll { $0.until <= noted }
            return done
        }
    }

    /// Has the supervisor keep in mind how long a token lives, before an app gets it: the receipt must not say less.
    func noteLife(of token: TokenResponse) async throws {
        guard let promise = state.withLock({ $0.tokenLife.wait(until: token.expiresOn) }) else { return }
        try supervisor.tell(.tokenWanted(until: token.expiresOn))
        try await promise.value()
    }

    func tokenNoted(until time: Int) {
        for promise in state.withLock({ $0.tokenLife.note(until: time) }) { promise.settle(.success(())) }
    }
}
