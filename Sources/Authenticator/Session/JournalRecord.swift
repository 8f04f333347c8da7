// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import JSON

/// What the journal says of the session; it is replaced as a whole, and on disk before anything follows from it.
package enum JournalRecord: Sendable, Equatable {
    case ready(Epoch)
    case signingIn(Epoch)
    case signedIn(Epoch)
    /// Committed: `ended` is over for good, `next` has begun; `door` is nil where an earlier version wrote it.
    case signingOut(ended: Epoch, next: Epoch, door: Door?)
}

extension JournalRecord {
    private enum Member {
        static let state = "state"
        static let epoch = "epoch"
        static let ended = "ended"
        static let door = "door"
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
        case .signingOut(let ended, let next, let door):
            members[Member.door] = door.map { .string($0.rawValue) }
            members[Member.ended] = .string(ended.description)
            members[Member.epoch] = .string(next.description)
        }
        return JSONWriter.write(.object(members))
    }

    /// Reads a journal; nil where it is none, which a caller must treat as damage and never as "nobody".
    package init?(bytes: [UInt8]) {
        let limits = JSONLimits(bytes: 4096, depth: 1, values: 5)
        guard let members = (try? JSONReader.read(bytes, limits: limits))?.object,
            let epoch = members[Member.epoch]?.string.flatMap({ Epoch($0) })
        else { return nil }
        switch members[Member.state]?.string {
        case "ready": self = .ready(epoch)
        case "signingIn": self = .signingIn(epoch)
        case "signedIn": self = .signedIn(epoch)
        case "signingOut":
            guard let ended = members[Member.ended]?.string.flatMap({ Epoch($0) }) else { return nil }
            let name = members[Member.door]
            let door = name?.string.flatMap(Door.init)
            guard (name == nil) == (door == nil) else { return nil }
            self = .signingOut(ended: ended, next: epoch, door: door)
        default: return nil
        }
    }
}
