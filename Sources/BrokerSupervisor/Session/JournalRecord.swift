// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import DeviceSettings
internal import JSON

/// The journal's record of the session. It is replaced as a whole, and written to disk before any of its consequences.
package enum JournalRecord: Sendable, Equatable {
    case ready(Epoch)
    case signingIn(Epoch)
    /// `erasers` are the erasers of the apps that erase a worker's data themselves. `dataHolders` are the apps that
    /// keep data in folders of their own and have been given data of the worker.
    case signedIn(Epoch, erasers: Set<AppEraser>, dataHolders: Set<String> = [])
    case signingOut(Commit)
}

extension JournalRecord {
    private enum Member {
        static let state = "state"
        static let epoch = "epoch"
        static let ended = "ended"
        static let trigger = "trigger"
        static let attempt = "attempt"
        /// Named after the apps, since an earlier version wrote only their bundle ids.
        static let erasers = "apps"
        /// The name is that of earlier versions.
        static let dataHolders = "keepers"
    }

    /// The state's name in the journal and in logs.
    package var stateName: String {
        switch self {
        case .ready: "ready"
        case .signingIn: "signingIn"
        case .signedIn: "signedIn"
        case .signingOut: "signingOut"
        }
    }

    package var bytes: [UInt8] {
        var members: [String: JSONValue] = [Member.state: .string(stateName)]
        switch self {
        case .ready(let epoch), .signingIn(let epoch): members[Member.epoch] = .string(epoch.description)
        case .signedIn(let epoch, let erasers, let dataHolders):
            members[Member.epoch] = .string(epoch.description)
            members[Member.dataHolders] = Self.value(dataHolders)
            if !erasers.isEmpty { members[Member.erasers] = .array(erasers.sorted().map { .string($0.rawValue) }) }
        case .signingOut(let commit):
            members[Member.trigger] = commit.trigger.map { .string($0.rawValue) }
            members[Member.attempt] = .bool(commit.isAttempt)
            members[Member.ended] = .string(commit.ended.description)
            members[Member.epoch] = .string(commit.next.description)
            members[Member.dataHolders] = Self.value(commit.dataHolders)
            if !commit.erasers.isEmpty {
                let answers = commit.erasers.map { ($0.key.rawValue, JSONValue.string($0.value.rawValue)) }
                members[Member.erasers] = .object(Dictionary(uniqueKeysWithValues: answers))
            }
        }
        return JSONWriter.write(.object(members))
    }

    /// Reads a journal; nil if it is malformed. The caller must treat nil as damage and never as "nobody is signed in".
    package init?(bytes: [UInt8]) {
        guard let members = (try? JSONReader.read(bytes, limits: Self.limits))?.object,
            let epoch = members[Member.epoch]?.string.flatMap({ Epoch($0) })
        else { return nil }
        switch members[Member.state]?.string {
        case "ready": self = .ready(epoch)
        case "signingIn": self = .signingIn(epoch)
        case "signedIn":
            guard let erasers = Self.erasers(members[Member.erasers]),
                let dataHolders = Self.dataHolders(members[Member.dataHolders])
            else { return nil }
            self = .signedIn(epoch, erasers: erasers, dataHolders: dataHolders)
        case "signingOut":
            guard let commit = Self.commit(members, next: epoch) else { return nil }
            self = .signingOut(commit)
        default: return nil
        }
    }

    /// Reads a commit. An earlier version wrote neither the trigger nor whether nobody had signed in.
    private static func commit(_ members: [String: JSONValue], next: Epoch) -> Commit? {
        guard let ended = members[Member.ended]?.string.flatMap({ Epoch($0) }) else { return nil }
        let (name, attempt) = (members[Member.trigger], members[Member.attempt])
        let trigger = name?.string.flatMap(SignOutTrigger.init)
        guard (name == nil) == (trigger == nil), attempt == nil || attempt?.bool != nil,
            let erasers = answers(members[Member.erasers]), let dataHolders = dataHolders(members[Member.dataHolders])
        else { return nil }
        return Commit(
            ended: ended, next: next, trigger: trigger, isAttempt: attempt?.bool ?? false, erasers: erasers,
            dataHolders: dataHolders)
    }

    /// Reads the list of erasers; nil if it is malformed. An earlier version wrote no list.
    private static func erasers(_ value: JSONValue?) -> Set<AppEraser>? {
        guard let value else { return [] }
        guard let list = value.array else { return nil }
        let erasers = list.compactMap { $0.string.flatMap(AppEraser.init(rawValue:)) }
        return erasers.count == list.count ? Set(erasers) : nil
    }

    private static func value(_ dataHolders: Set<String>) -> JSONValue? {
        dataHolders.isEmpty ? nil : .array(dataHolders.sorted().map { .string($0) })
    }

    /// Reads the list of apps; nil if it is malformed. An earlier version wrote no list.
    private static func dataHolders(_ value: JSONValue?) -> Set<String>? {
        guard let value else { return [] }
        guard let list = value.array else { return nil }
        let dataHolders = list.compactMap(\.string)
        return dataHolders.count == list.count ? Set(dataHolders) : nil
    }

    private static func answers(_ value: JSONValue?) -> [AppEraser: Commit.Answer]? {
        guard let value else { return [:] }
        guard let members = value.object else { return nil }
        let answers = members.compactMap { name, answer -> (AppEraser, Commit.Answer)? in
            guard let eraser = AppEraser(rawValue: name), let answer = answer.string.flatMap(Commit.Answer.init) else {
                return nil
            }
            return (eraser, answer)
        }
        return answers.count == members.count ? Dictionary(answers) { $1 } : nil
    }

    /// These limits are large enough for the maximum number of erasers and of apps in one session.
    static let limits = JSONLimits(
        bytes: 1 << 20, depth: 2,
        values: 3 * SessionMachine.ActiveSession.maximumApps * HandoverName.maximumCount + 16)
}
