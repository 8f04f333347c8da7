// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import IdentityPlatform
import OAuth
import Storage
import StorageTestSupport
import TestSupport
import Testing

/// An act in the browser of a shared device, or on the device itself.
enum BrowserAct: CaseIterable {
    /// A worker signs in on the device: the person signs in for the broker, which gets a primary refresh token.
    case signIn
    case promptLogin
    case maxAge
    case otherAccount
    case deviceCode
    case silent
    /// Another browser of the device sends the device's browser credential, and the worker authenticates in that
    /// browser.
    case credential
    /// The other person uses this browser with the browser credential of their own device.
    case foreignCredential
    case deviceSignOut
    case revoke
}

/// Something that a person received and could use later.
struct Holding {
    enum Kind: Hashable { case accessToken, refreshToken, code, deviceCode, primaryRefreshToken, browser }

    let kind: Kind
    let text: String
    var session: TestDeviceSession?
    let person: String
    /// The browser in which it was received.
    let browser: Int
    /// The device epoch to which it belongs; nil if its browser does not belong to an epoch yet.
    var epoch: Int?
}

/// The state of a device and its browser, and the things that people have received there so far.
struct BrowserState {
    var cookies: [String: String] = [:]
    var browser = 0
    var epoch = 0
    /// The worker of the open epoch.
    var worker: String?
    /// Whether the browser has been used by the worker of the open epoch.
    var isOfWorker = false
    var session: TestDeviceSession?
    var isRevoked = false
    /// The owner of the personal device whose credential the browser sent; nil if the browser sent no such credential.
    var owner: String?
    /// The person who is signed in with the browser.
    var present: String?
    var holdings: [Holding] = []
    var path: [BrowserAct] = []
    var time = Timestamp(seconds: 0)

    /// A text that is equal for states that differ only in names and counts. Holdings of a closed browser that belong
    /// to no epoch are left out, because they never get an epoch.
    var key: String {
        let held = Set(
            holdings.filter { $0.epoch != nil || $0.browser == browser }.map { holding in
                "\(holding.person) \(holding.epoch == nil ? "\(holding.kind == .deviceCode)" : "in the epoch")"
            })
        let device = "\(worker ?? "-") \(epoch % 2) \(session != nil) \(isRevoked)"
        return "\(device) \(isOfWorker) \(owner ?? "-") \(present ?? "-") \(held.sorted())"
    }
}

/// Plays every sequence of acts up to a length against one platform, depth first. It restores the database before each
/// alternative.
final class EpochExplorer {
    private static let people = ["amara@contoso.test", "bo@contoso.test"]

    private let fixture: TestPlatform
    private let testDevice: TestDevice
    private let app: Client
    /// Each person's session on their own device.
    private var ownSessions: [String: TestDeviceSession] = [:]
    /// The tables, each after the tables that it refers to.
    private let tables: [String]
    /// Whether only one of several states that differ only in names is continued.
    private let merges: Bool
    private var seen: [String: Int] = [:]
    /// The number of things that people received. The test checks it, because a platform that never grants anything
    /// would have no faults.
    private(set) var got = 0
    private(set) var faults: [String] = []

    init(length: Int, merges: Bool) async throws {
        fixture = try await TestPlatform()
        testDevice = try await TestDevice.joined(fixture)
        app = try await fixture.administration.clients.add(
            NewClient(displayName: "App", redirectURIs: [TestPlatform.redirect], tokenAlgorithm: .es256),
            tenant: fixture.tenant)
        self.merges = merges
        let own = try await TestDevice.joined(fixture, number: 1, isShared: false)
        for person in Self.people { ownSessions[person] = try await own.session(person) }
        let fixed = ["tenant", "person", "signingKey", "audit", "migration", "storageCheck", "deviceAuthority"]
        let all = try await fixture.platform.database.tableNames()
        let names = all.filter { !fixed.contains($0) && !$0.hasPrefix("client") }
        tables = names
        try await fixture.platform.database.write { connection in
            for depth in 0..<length {
                for name in names {
                    try connection.execute(
                        SQL(text: "CREATE TABLE keep\(depth)\(name) AS SELECT * FROM \(name) WHERE 1 = 0"))
                }
            }
        }
    }

    /// Plays all sequences of this length.
    func explore(_ length: Int) async throws {
        var state = BrowserState()
        state.time = fixture.clock.now
        try await explore(state, length, BrowserAct.allCases)
    }

    private func explore(_ state: BrowserState, _ left: Int, _ acts: [BrowserAct]) async throws {
        let depth = left - 1
        try await keep(depth)
        for act in acts {
            if act != acts.first { try await putBack(depth, state) }
            var next = state
            next.path.append(act)
            try await play(act, &next)
            next.time = fixture.clock.now
            guard left > 1, faults.count < 20 else { continue }
            if merges {
                guard seen[next.key, default: 0] < left - 1 else { continue }
                seen[next.key] = left - 1
            }
            try await explore(next, left - 1, BrowserAct.allCases)
        }
    }

    private func keep(_ depth: Int) async throws {
        try await fixture.platform.database.write { [tables] connection in
            for name in tables {
                try connection.execute(SQL(text: "DELETE FROM keep\(depth)\(name)"))
                try connection.execute(SQL(text: "INSERT INTO keep\(depth)\(name) SELECT * FROM \(name)"))
            }
        }
    }

    private func putBack(_ depth: Int, _ state: BrowserState) async throws {
        try await fixture.platform.database.write { [tables] connection in
            for name in tables.reversed() { try connection.execute(SQL(text: "DELETE FROM \(name)")) }
            for name in tables {
                try connection.execute(SQL(text: "INSERT INTO \(name) SELECT * FROM keep\(depth)\(name)"))
            }
        }
        fixture.clock.advance(by: .seconds(state.time.seconds - fixture.clock.now.seconds))
    }

    // MARK: The acts

    private func play(_ act: BrowserAct, _ state: inout BrowserState) async throws {
        let worker = state.worker ?? Self.people[0]
        switch act {
        case .signIn: try await signIn(&state)
        case .promptLogin: try await authorize(["prompt": "login"], worker, &state)
        case .maxAge:
            fixture.clock.advance(by: .seconds(1))
            try await authorize(["max_age": "0"], worker, &state)
        case .otherAccount:
            let other = Self.people.first { $0 != worker } ?? worker
            try await authorize(["prompt": "login", "login_hint": other], other, &state)
        case .deviceCode: try await deviceCode(worker, &state)
        case .silent: try await silent(worker, &state)
        case .credential: try await credential(worker, &state)
        case .foreignCredential:
            try await foreignCredential(Self.people.first { $0 != worker } ?? worker, &state)
        case .deviceSignOut:
            guard let session = state.session, state.worker != nil else { return }
            let answer = try await session.end()
            if answer.status != .ok { fault("the device could not sign out", state) }
            (state.worker, state.session, state.isOfWorker) = (nil, nil, false)
            state.present = nil
            try await wantDead(&state)
        case .revoke:
            guard let session = state.session, state.worker != nil,
                let id = SessionID(rawValue: try #require(session.reply.sessionID))
            else { return }
            // The first revocation ends the device's session and its epoch. A second revocation ends all of the
            // worker's sessions.
            if state.isRevoked {
                try await fixture.administration.users.revokeSessions(
                    of: worker == Self.people[0] ? fixture.amara : fixture.bo)
            } else {
                try await fixture.administration.users.revoke(id, tenant: fixture.tenant)
            }
            state.isRevoked = true
            if state.isOfWorker { state.present = nil }
            try await wantDead(&state)
        }
    }

    private func query(_ changes: [String: String?], client: ClientID? = nil) -> AuthorizeQuery {
        var all: [String: String?] = ["client_id": (client ?? app.id).rawValue]
        for (name, value) in changes { all[name] = value }
        return AuthorizeQuery(fixture, all)
    }

    /// Opens an authorisation request and signs in if the page asks. Returns the code; nil if there is none.
    private func open(
        _ query: AuthorizeQuery, as person: String, _ browser: Browser, _ headers: HTTPFields = [:]
    ) async throws -> String? {
        var answer = try await browser.get(query.path, headers)
        if answer.hidden("csrf") != nil, answer.text.contains("name=\"password\"") {
            answer = try await browser.submit(answer, username: person, password: TestPlatform.password)
        }
        return answer.headers[.location] == nil ? nil : try answer.returned()[ParameterName.code]
    }

    private func authorize(
        _ changes: [String: String?], _ person: String, _ state: inout BrowserState, _ headers: HTTPFields = [:]
    ) async throws {
        let browser = Browser(fixture, cookies: state.cookies)
        let code = try await open(query(changes), as: person, browser, headers)
        state.cookies = browser.cookies
        if let code { try await redeem(code, &state) }
    }

    /// Redeems a code, checks the tokens and stores them as holdings.
    ///
    /// - Parameter isForeign: whether the code is from a session on another device.
    private func redeem(_ code: String, _ state: inout BrowserState, isForeign: Bool = false) async throws {
        let answer = try await fixture.redeem(code, ["client_id": app.id.rawValue])
        guard answer.status == .ok else { return fault("a fresh code gives nothing: \(answer.text)", state) }
        let reply = try answer.json
        let access = try reply.string(ReplyName.accessToken)
        let claims = try CompactJWS(access).claims()
        let oid = try claims.string(ClaimName.objectID)
        let person = oid == fixture.amara.id.rawValue ? Self.people[0] : Self.people[1]
        if let worker = state.worker, state.isOfWorker {
            if person != worker { fault("another person got in", state) }
            if try claims.optionalString(ClaimName.deviceID) != testDevice.id {
                fault("a session without the device", state)
            }
            if try reply.integer(ReplyName.expiresIn) != 600 { fault("an access token of an hour", state) }
        }
        // Tokens from another device's session belong to that device, even if this browser received them.
        guard !isForeign else { return }
        state.present = person
        hold(.accessToken, access, person, &state)
        hold(.refreshToken, try reply.string(ReplyName.refreshToken), person, &state)
        hold(.browser, state.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: ";"), person, &state)
    }

    private func hold(_ kind: Holding.Kind, _ text: String, _ person: String, _ state: inout BrowserState) {
        got += 1
        let epoch = state.isOfWorker ? state.epoch : nil
        state.holdings.append(
            Holding(kind: kind, text: text, person: person, browser: state.browser, epoch: epoch))
    }

    private func signIn(_ state: inout BrowserState) async throws {
        let counter = state.worker == nil ? state.epoch + 1 : state.epoch
        let worker = state.worker ?? Self.people[(counter + 1) % 2]
        let browser = Browser(fixture, cookies: state.cookies)
        let broker = try #require(ClientID(rawValue: WellKnownApplication.broker))
        let query = query(["scope": "openid offline_access", "prompt": "login"], client: broker)
        let code = try await open(query, as: worker, browser)
        state.cookies = browser.cookies
        guard let code else { return fault("the worker could not sign in", state) }
        let reply = try await fixture.redeem(code, ["client_id": WellKnownApplication.broker]).json
        let refresh = try reply.string(ReplyName.refreshToken)
        let answer = try await testDevice.issue(refresh, counter: counter)
        // In a browser that belongs to the person's own device, the sign-in was for that device, not for the shared
        // device.
        if state.owner == worker, answer.status != .ok { return }
        guard answer.status == .ok else { return fault("no primary refresh token: \(answer.text)", state) }
        let issued = try PrimaryRefreshToken.IssueReply(decoding: answer.body)
        let session = TestDeviceSession(
            testDevice: testDevice, reply: issued, key: try issued.sessionKey(transportKey: testDevice.transportKey),
            counter: counter,
            brokerRefreshToken: refresh)
        let isNew = state.worker == nil
        (state.epoch, state.worker, state.session, state.isOfWorker) = (counter, worker, session, true)
        state.owner = nil
        // Tokens that this browser received before the device had the session belong to the epoch, too.
        for index in state.holdings.indices
        where state.holdings[index].browser == state.browser && state.holdings[index].epoch == nil {
            state.holdings[index].epoch = counter
        }
        (state.present, state.isRevoked) = (worker, false)
        hold(.primaryRefreshToken, "", worker, &state)
        state.holdings[state.holdings.count - 1].session = session
        if isNew { try await wantDead(&state) { $0.epoch != counter || $0.person != worker } }
    }

    private func silent(_ person: String, _ state: inout BrowserState) async throws {
        let browser = Browser(fixture, cookies: state.cookies)
        guard let code = try await open(query(["prompt": "none"]), as: person, browser) else { return }
        try await redeem(code, &state)
        // A second code is requested and stored without redeeming it.
        if let kept = try await open(query(["prompt": "none"]), as: person, browser) {
            hold(.code, kept, state.holdings.last?.person ?? person, &state)
        }
    }

    private func credential(_ person: String, _ state: inout BrowserState) async throws {
        state.browser += 1
        (state.cookies, state.present, state.owner) = ([:], nil, nil)
        guard let session = state.session else { return state.isOfWorker = false }
        let name = try #require(HTTPField.Name(BrowserCredential.name))
        let browser = Browser(fixture)
        // The server's answer shows whether the session is live; the credential of an ended session has no effect.
        let answer = try await browser.get(query(["prompt": "none"]).path, [name: try await session.credential()])
        state.cookies = browser.cookies
        state.isOfWorker = try answer.returned()[ParameterName.code] != nil
        guard state.isOfWorker else { return }
        let again = [name: try await session.credential()] as HTTPFields
        try await authorize(["prompt": "login"], person, &state, again)
    }

    private func foreignCredential(_ person: String, _ state: inout BrowserState) async throws {
        let session = try #require(ownSessions[person])
        let name = try #require(HTTPField.Name(BrowserCredential.name))
        let browser = Browser(fixture, cookies: state.cookies)
        let answer = try await browser.get(query([:]).path, [name: try await session.credential()])
        state.cookies = browser.cookies
        guard answer.headers[.location] != nil, let code = try answer.returned()[ParameterName.code] else { return }
        try await redeem(code, &state, isForeign: true)
        if !state.isOfWorker { state.owner = person }
    }

    private func deviceCode(_ person: String, _ state: inout BrowserState) async throws {
        let begun = try await fixture.client.post(
            "/\(fixture.tenant.id)/oauth2/v2.0/devicecode",
            form: ["client_id": app.id.rawValue, "scope": "openid offline_access User.Read"]
        ).json
        let (code, userCode) = (try begun.string(ReplyName.deviceCode), try begun.string(ReplyName.userCode))
        let browser = Browser(fixture, cookies: state.cookies)
        var page = try await browser.get("/common/oauth2/deviceauth")
        page = try await browser.post(
            try #require(page.attribute("action", of: "<form")),
            ["csrf": try #require(page.hidden("csrf")), "user_code": userCode])
        if page.text.contains("name=\"password\"") {
            page = try await browser.submit(page, username: person, password: TestPlatform.password)
        }
        if page.text.contains("name=\"choice\"") { page = try await browser.confirm(page, choice: "yes") }
        state.cookies = browser.cookies
        guard page.text.contains("You are signed in") else { return }
        state.present = state.present ?? person
        if state.isOfWorker, state.worker != nil { fault("a device code was approved on a shared device", state) }
        hold(.deviceCode, code, state.present ?? person, &state)
    }

    // MARK: Checks

    /// Expects that the chosen holdings of ended epochs no longer work, and removes them.
    private func wantDead(
        _ state: inout BrowserState, of isMeant: (Holding) -> Bool = { $0.epoch != nil }
    ) async throws {
        for holding in state.holdings where holding.epoch != nil && isMeant(holding) {
            if try await isUsable(holding) { fault("usable after its end: \(holding.kind)", state) }
        }
        state.holdings.removeAll { $0.epoch != nil && isMeant($0) }
    }

    private func isUsable(_ holding: Holding) async throws -> Bool {
        switch holding.kind {
        case .accessToken:
            let info = try await fixture.client.get(
                "/\(fixture.tenant.id)/openid/userinfo", headers: [.authorization: "Bearer \(holding.text)"])
            return try await fixture.me(holding.text).status != .unauthorized || info.status != .unauthorized
        case .refreshToken:
            return try await fixture.refresh(holding.text, ["client_id": app.id.rawValue]).status == .ok
        case .code: return try await fixture.redeem(holding.text, ["client_id": app.id.rawValue]).status == .ok
        case .deviceCode:
            return try await fixture.token([
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": app.id.rawValue,
                "device_code": holding.text,
            ]).status == .ok
        case .primaryRefreshToken: return try await holding.session?.use().status == .ok
        case .browser:
            let answer = try await fixture.client.get(
                query(["prompt": "none"]).path, headers: [.cookie: holding.text.replacing(";", with: "; ")])
            return try answer.returned()[ParameterName.code] != nil
        }
    }

    private func fault(_ text: String, _ state: BrowserState) {
        faults.append("\(text), after \(state.path.map { "\($0)" }.joined(separator: ", "))")
    }
}

extension SQL {
    /// Creates a statement from text that a test has composed.
    fileprivate init(text: String) { self.init(stringLiteral: text) }
}
