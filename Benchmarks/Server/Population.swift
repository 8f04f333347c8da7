// SPDX-License-Identifier: Apache-2.0
import IdentityPlatform
import OAuth
import Storage

/// Both servers, over databases with a given number of users, devices and sessions.
final class Population: Sendable {
    private static let scope = "offline_access User.Read"

    let size: Int
    private let bench: Bench
    private let management: MDMBench
    private let sessions: [BenchSession]
    private let devices: [MDMBench.Device]
    /// The current refresh token of each session.
    private let tokens: Tokens

    private actor Tokens {
        var all: [String]
        init(_ all: [String]) { self.all = all }
        func set(_ index: Int, _ token: String) { all[index] = token }
    }

    /// Fills the databases in bulk. Meanwhile, some of the devices join and some of the users sign in through the
    /// server's own interface.
    init(size: Int, folder: String, deviceKeys: DeviceKeys) async throws {
        self.size = size
        bench = try await Bench(folder: folder, passwordCost: Self.passwordCost, deviceKeys: deviceKeys)
        management = try await MDMBench(folder: folder)
        try await management.fill(size)
        devices = try await management.sample(of: size)
        var (sessions, tokens): ([BenchSession], [String]) = ([], [])
        let registration = try await bench.registrationToken()
        for part in (1...size).parts(10) {
            try await bench.fill(part, of: size)
            for user in part.parts(10).map(\.upperBound) {
                let device = try await BenchDevice(joining: bench, with: registration, number: user)
                let session = try await device.session(of: Bench.userName(user))
                sessions.append(session)
                let request = try session.useRequest(["offline_access", "User.Read"], by: bench.curveApp)
                tokens.append(try await session.redeem(request).string(ReplyName.refreshToken))
            }
        }
        (self.sessions, self.tokens) = (sessions, Tokens(tokens))
    }

    /// The lowest cost, so that the hash takes only a small part of a sign-in.
    private static let passwordCost = 1

    /// The operations whose cost must not depend on the size. What an operation needs is prepared beforehand.
    static let operations: [(name: String, prepare: @Sendable (Population, Int) async throws -> Operation)] = [
        ("refresh grant", { try await $0.refresh($1) }),
        ("primary refresh token to app token", { try $0.redeem($1) }),
        ("sign-in with a password, with the cheapest hash", { try await $0.signIn($1) }),
        ("state of a session, asked by its device", { try $0.askStatus($1) }),
        ("Idle of a managed device", { $0.idle($1) }),
    ]

    typealias Operation = @Sendable () async throws -> Void

    private func refresh(_ turn: Int) async throws -> Operation {
        let index = turn % sessions.count
        let token = await tokens.all[index]
        return { [bench, tokens] in
            await tokens.set(index, try await bench.refresh(token, scope: Self.scope, of: bench.curveApp))
        }
    }

    private func redeem(_ turn: Int) throws -> Operation {
        let session = sessions[turn % sessions.count]
        let request = try session.useRequest(["User.Read"], by: bench.curveApp)
        return { try await session.redeem(request) }
    }

    private func signIn(_ turn: Int) async throws -> Operation {
        let user = Bench.userName(1 + turn * 7919 % size)
        let page = try await bench.page(client: bench.curveApp.id.rawValue, scope: "openid User.Read")
        return { [bench] in try await page.submit(user, to: bench.client) }
    }

    private func askStatus(_ turn: Int) throws -> Operation {
        let session = sessions[turn % sessions.count]
        let request = try session.statusRequest()
        return { try await session.askStatus(request) }
    }

    private func idle(_ turn: Int) -> Operation {
        let device = devices[turn % devices.count]
        return { [management] in try await management.idle(device) }
    }
}
