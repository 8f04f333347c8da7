// SPDX-License-Identifier: Apache-2.0

/// What a client knows after a request.
enum Outcome<Value: Sendable>: Sendable {
    case done(Value)
    /// The server has answered that it did not do what was asked.
    case refused(String)
    /// There was no answer, or an error of the server: the server may have done what was asked, or may still do it.
    case unknown(String)

    var isDone: Bool { if case .done = self { true } else { false } }
    var isRefused: Bool { if case .refused = self { true } else { false } }
    var isUnknown: Bool { if case .unknown = self { true } else { false } }
    var value: Value? { if case .done(let value) = self { value } else { nil } }
}

/// What the server promises, whatever fails.
enum FaultRule: String, CaseIterable, Sendable {
    case keptWrite = "an acknowledged write is kept"
    case oneUse = "a refresh token works once"
    case noRevokedSession = "a revoked session is not served"
    case oneCommand = "a command of the MDM is carried out once"
    case convergence = "every device ends in the server's state"
    case budget = "a revocation reaches a device at another node within a second"
}

/// A broken promise.
struct Violation: Equatable, Sendable, CustomStringConvertible {
    let rule: FaultRule
    let text: String

    init(_ rule: FaultRule, _ text: String) { (self.rule, self.text) = (rule, text) }

    var description: String { "\(rule.rawValue): \(text)" }
}

/// All acknowledged writes, and what follows from them for later answers.
struct FaultHistory: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The phase of a session whose beginning the server has acknowledged.
    enum Phase: Sendable, Equatable {
        case live
        /// Its end was requested, but not acknowledged.
        case ending
        /// The end was acknowledged at this moment.
        case ended(Instant)
    }

    /// A command that an administrator queued. Its subject is unique.
    struct Queued: Sendable {
        let device: String
        let subject: String
        /// The command's id; nil if the server has not acknowledged the command.
        let uuid: String?
    }

    /// A command in the server's list of a device's commands.
    struct Listed: Sendable {
        let uuid: String
        let subject: String?
        let state: String
    }

    private(set) var violations: [Violation] = []
    private(set) var sessions: [String: (device: String, phase: Phase)] = [:]
    private(set) var queued: [Queued] = []
    /// The names of groups, and whether their creation was acknowledged.
    private(set) var groups: [String: Bool] = [:]
    private var colour: String?
    private var possibleColours: Set<String> = []

    mutating func broke(_ violation: Violation?) {
        // The first violations explain the rest.
        if let violation, violations.count < 100 { violations.append(violation) }
    }

    // MARK: Sessions

    mutating func began(_ session: String, on device: String) { sessions[session] = (device, .live) }

    /// Call this before a request that ends a session.
    mutating func willEnd(_ session: String) {
        if sessions[session]?.phase == .live { sessions[session]?.phase = .ending }
    }

    mutating func ended(_ session: String, at moment: Instant) {
        if case .ended = sessions[session]?.phase { return }
        sessions[session]?.phase = .ended(moment)
    }

    func isLive(_ session: String) -> Bool { sessions[session]?.phase == .live }

    /// Call this with the outcome of a request that used a credential of a session.
    ///
    /// - Parameter began: when the request was sent. An answer to an earlier request may cross the revocation.
    mutating func answered<Value>(
        _ outcome: Outcome<Value>, for session: String, asked what: String, began: Instant
    ) {
        switch (outcome, sessions[session]?.phase) {
        case (.done, .ended(let moment)?) where began > moment:
            broke(Violation(.noRevokedSession, "\(what) of session \(session), \(began - moment) after its end"))
        case (.refused(let reason), .live?):
            broke(Violation(.keptWrite, "\(what) of session \(session), which has not ended, was refused: \(reason)"))
        default: break
        }
    }

    /// Compares the server's list of sessions with what was acknowledged.
    ///
    /// - Parameter listed: the ids of the sessions that have not ended.
    mutating func compareSessions(_ listed: Set<String>) {
        for (id, session) in sessions {
            switch session.phase {
            case .live where !listed.contains(id):
                broke(Violation(.keptWrite, "session \(id) of \(session.device) is missing"))
            case .ended where listed.contains(id):
                broke(Violation(.noRevokedSession, "session \(id) of \(session.device) is listed after its end"))
            default: break
            }
        }
    }

    // MARK: Commands

    mutating func queued(_ subject: String, for device: String, _ outcome: Outcome<String>) {
        guard !outcome.isRefused else { return }
        queued.append(Queued(device: device, subject: subject, uuid: outcome.value))
    }

    /// Compares the server's list of a device's commands with what the device has carried out.
    mutating func compareCommands(_ listed: [Listed], of device: String, carriedOut: Set<String>) {
        for command in queued where command.device == device {
            let found = listed.filter { $0.subject == command.subject }
            if found.count > 1 { broke(Violation(.oneCommand, "\(command.subject) was queued \(found.count) times")) }
            guard let uuid = command.uuid else { continue }
            if found.map(\.uuid) != [uuid] {
                broke(Violation(.keptWrite, "the command \(uuid) for \(device) is not in its queue"))
            }
            if !carriedOut.contains(uuid) {
                broke(Violation(.oneCommand, "the command \(uuid) never reached \(device)"))
            }
        }
        for command in listed where command.state != "acknowledged" {
            broke(Violation(.convergence, "the command \(command.uuid) for \(device) is \(command.state)"))
        }
        for command in listed where !carriedOut.contains(command.uuid) && command.state == "acknowledged" {
            broke(Violation(.oneCommand, "\(device) did not carry out \(command.uuid), which counts as acknowledged"))
        }
        for uuid in carriedOut.subtracting(listed.map(\.uuid)) {
            broke(Violation(.keptWrite, "the result of \(uuid) for \(device) is missing"))
        }
    }

    // MARK: The directory

    mutating func made(group: String, _ outcome: Outcome<Void>) {
        if !outcome.isRefused { groups[group] = outcome.isDone }
    }

    mutating func compareGroups(_ listed: [String]) {
        for (name, isAcknowledged) in groups {
            let count = listed.count { $0 == name }
            if isAcknowledged && count == 0 { broke(Violation(.keptWrite, "the group \(name) is missing")) }
            if count > 1 { broke(Violation(.keptWrite, "the group \(name) exists \(count) times")) }
        }
    }

    /// Call this before the only writer of the colour writes a new one.
    mutating func willSet(colour: String) { possibleColours.insert(colour) }

    /// Call this with the outcome of a write by the only writer of the colour. A write without an answer may take
    /// effect at any later time.
    mutating func set(colour new: String, _ outcome: Outcome<Void>) {
        if outcome.isDone {
            if let colour { possibleColours.remove(colour) }
            colour = new
        } else if outcome.isRefused {
            possibleColours.remove(new)
        }
    }

    /// Call this with a colour that the writer has read. The writer writes nothing while it reads.
    mutating func read(colour read: String?) {
        if let colour, read.map({ !possibleColours.contains($0) }) ?? true {
            broke(Violation(.keptWrite, "the colour is \(read ?? "missing") instead of \(colour)"))
        }
    }
}

/// What a client knows about refresh tokens that replaced one another.
struct RefreshChain: Sendable {
    private(set) var tokens: [String]
    /// Whether an answer was lost. A request without an answer may be carried out at any later time. In that case, the
    /// server must treat the client's next use as a replay.
    private(set) var isDoubtful = false
    /// Whether the server has acknowledged that it revoked the tokens because of a replay.
    private(set) var isRevoked = false

    init(_ first: String) { tokens = [first] }

    var newest: String { tokens[tokens.count - 1] }

    /// An older token whose successor was also used, so that no repetition is allowed.
    var replayable: String? { tokens.count >= 3 ? tokens[tokens.count - 3] : nil }

    /// Call this with the outcome of a use of the newest token.
    mutating func used(_ outcome: Outcome<String>, sessionIsLive: Bool) -> Violation? {
        switch outcome {
        case .done(let next):
            if isRevoked { return Violation(.oneUse, "a refresh token that was revoked after a replay was accepted") }
            if tokens.contains(next) { return Violation(.oneUse, "a use returned a token that was used before") }
            tokens.append(next)
        case .refused(let reason):
            if sessionIsLive, !isDoubtful, !isRevoked {
                return Violation(.keptWrite, "an unused refresh token was refused: \(reason)")
            }
        case .unknown: isDoubtful = true
        }
        return nil
    }

    /// Call this with the outcome of a second use of the token before the newest one. `isInTime` is true if a lost
    /// answer may still be asked for again.
    mutating func repeated(_ outcome: Outcome<String>, isInTime: Bool, sessionIsLive: Bool) -> Violation? {
        switch outcome {
        case .done(let next):
            if next != newest { return Violation(.oneUse, "a repeated use returned another token") }
        case .refused(let reason):
            if isInTime, sessionIsLive, !isDoubtful, !isRevoked {
                return Violation(.keptWrite, "a repeated use was refused: \(reason)")
            }
            isRevoked = true
        case .unknown: isDoubtful = true
        }
        return nil
    }

    /// Call this with the outcome of a use of the token ``replayable``.
    mutating func replayed(_ outcome: Outcome<String>) -> Violation? {
        switch outcome {
        case .done: return Violation(.oneUse, "a refresh token was accepted after its successor was used")
        case .refused: isRevoked = true
        case .unknown: isDoubtful = true
        }
        return nil
    }

    /// Call this with a refresh token that the primary refresh token yielded. It must be the newest token, or a
    /// different token if the newest one was used.
    mutating func fetched(_ token: String) -> Violation? {
        if token == newest, !isRevoked { return nil }
        if tokens.contains(token) { return Violation(.oneUse, "a used refresh token was issued again") }
        // Without a lost answer, the newest token is unused, and the server must recognise this token.
        if !isDoubtful, !isRevoked {
            return Violation(.keptWrite, "the primary refresh token yields another refresh token than the newest one")
        }
        let wasDoubtful = isDoubtful
        self = RefreshChain(token)
        isDoubtful = wasDoubtful
        return nil
    }
}

/// The commands of the MDM that one device has carried out.
struct CommandLog: Sendable {
    /// The last command, and whether the server has acknowledged its result.
    private(set) var last: (uuid: String, isDelivered: Bool)?
    private(set) var carriedOut: Set<String> = []

    /// Call this when the server has answered the message that contained the last command's result.
    mutating func delivered() { last?.isDelivered = true }

    /// Call this with a command that the server has sent. It may send the last command again until it has acknowledged
    /// the result.
    mutating func take(_ uuid: String) -> Violation? {
        if last?.uuid == uuid, last?.isDelivered == false { return nil }
        last = (uuid, false)
        return carriedOut.insert(uuid).inserted
            ? nil : Violation(.oneCommand, "\(uuid) was sent again after its result")
    }
}
