// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
package import BrokerProtocol
internal import JSON

/// The journal's record of the session. It is replaced as a whole, and written to disk before any of its consequences.
package enum JournalRecord: Sendable, Equatable {
    case ready(Epoch)
    case signingIn(Epoch)
    /// `apps` are the apps that erase a worker's data themselves.
    case signedIn(Epoch, apps: Set<String>)
    case signingOut(Commit)
}

extension JournalRecord {
    private enum Member {
        static let state = "state"
        static let epoch = "epoch"
        static let ended = "ended"
        static let trigger = "trigger"
        static let attempt = "attempt"
        static let apps = "apps"
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
        case .signedIn(let epoch, let apps):
            members[Member.epoch] = .string(epoch.description)
            if !apps.isEmpty { members[Member.apps] = .array(apps.sorted().map(JSONValue.string)) }
        case .signingOut(let commit):
            members[Member.trigger] = commit.trigger.map { .string($0.rawValue) }
            members[Member.attempt] = .bool(commit.isAttempt)
            members[Member.ended] = .string(commit.ended.description)
            members[Member.epoch] = .string(commit.next.description)
            if !commit.apps.isEmpty { members[Member.apps] = .object(commit.apps.mapValues { .string($0.rawValue) }) }
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
            guard let apps = Self.apps(members[Member.apps]) else { return nil }
            self = .signedIn(epoch, apps: apps)
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
            let apps = erasers(members[Member.apps])
        else { return nil }
        return Commit(ended: ended, next: next, trigger: trigger, isAttempt: attempt?.bool ?? false, apps: apps)
    }

    /// Reads the list of apps; nil if it is malformed. An earlier version wrote no list.
    private static func apps(_ value: JSONValue?) -> Set<String>? {
        guard let value else { return [] }
        guard let list = value.array else { return nil }
        let apps = list.compactMap(\.string)
        return apps.count == list.count ? Set(apps) : nil
    }

    private static func erasers(_ value: JSONValue?) -> [String: Commit.Eraser]? {
        guard let value else { return [:] }
        guard let members = value.object else { return nil }
        let apps = members.compactMapValues { $0.string.flatMap(Commit.Eraser.init) }
        return apps.count == members.count ? apps : nil
    }

    /// These limits are large enough for the maximum number of apps in one session.
    static let limits = JSONLimits(
        bytes: 128 << 10, depth: 2, values: 2 * SessionMachine.ActiveSession.maximumApps + 16)
}
