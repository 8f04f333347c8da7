// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import JSON

/// What the journal says of the session; it is replaced as a whole, and on disk before anything follows from it.
package enum JournalRecord: Sendable, Equatable {
    case ready(Epoch)
    case signingIn(Epoch)
    case signedIn(Epoch)
    case signingOut(Commit)
}

extension JournalRecord {
    private enum Member {
        static let state = "state"
        static let epoch = "epoch"
        static let ended = "ended"
        static let door = "door"
        static let attempt = "attempt"
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
        case .ready(let epoch), .signingIn(let epoch), .signedIn(let epoch):
            members[Member.epoch] = .string(epoch.description)
        case .signingOut(let commit):
            members[Member.door] = commit.door.map { .string($0.rawValue) }
            members[Member.attempt] = .bool(commit.isAttempt)
            members[Member.ended] = .string(commit.ended.description)
            members[Member.epoch] = .string(commit.next.description)
        }
        return JSONWriter.write(.object(members))
    }

    /// Reads a journal; nil where it is none, which a caller must treat as damage and never as "nobody".
    package init?(bytes: [UInt8]) {
        let limits = JSONLimits(bytes: 4096, depth: 1, values: 6)
        guard let members = (try? JSONReader.read(bytes, limits: limits))?.object,
            let epoch = members[Member.epoch]?.string.flatMap({ Epoch($0) })
        else { return nil }
        switch members[Member.state]?.string {
        case "ready": self = .ready(epoch)
        case "signingIn": self = .signingIn(epoch)
        case "signedIn": self = .signedIn(epoch)
        case "signingOut":
            guard let commit = Self.commit(members, next: epoch) else { return nil }
            self = .signingOut(commit)
        default: return nil
        }
    }

    /// An earlier version wrote neither door nor whether it was an attempt.
    private static func commit(_ members: [String: JSONValue], next: Epoch) -> Commit? {
        guard let ended = members[Member.ended]?.string.flatMap({ Epoch($0) }) else { return nil }
        let (name, attempt) = (members[Member.door], members[Member.attempt])
        let door = name?.string.flatMap(Door.init)
        guard (name == nil) == (door == nil), attempt == nil || attempt?.bool != nil else { return nil }
        return Commit(ended: ended, next: next, door: door, isAttempt: attempt?.bool ?? false)
    }
}
