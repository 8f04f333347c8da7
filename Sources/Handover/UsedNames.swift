// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import MSAL
internal import Synchronization

/// The names that one ``Handover`` object uses for its erasers and readers.
///
/// The broker identifies an eraser by its app, its process and its name, and a reader by its client id and its name. It
/// cannot distinguish the objects of a process: if two of them used the same name, the erasure by one would count for
/// both. So a name is used by one object at a time. An app may have several client ids, and only the broker knows which
/// of them belong to one app. So the name of an eraser is unique in the whole process.
final class UsedNames: Sendable {
    private enum Kind { case eraser, reader }

    private struct Name: Hashable {
        let broker: ObjectIdentifier
        let kind: Kind
        /// In lower case, because the broker ignores the case of client ids.
        let clientID: String
        let text: String

        /// Whether the broker could mistake one name for the other.
        func collides(with other: Name) -> Bool {
            broker == other.broker && kind == other.kind && text == other.text
                && (kind == .eraser || clientID == other.clientID)
        }

        /// Whether both names count towards the same maximum.
        func counts(with other: Name) -> Bool {
            broker == other.broker && kind == other.kind && clientID == other.clientID
        }
    }

    /// The names that are in use in this process, each with the object that uses it.
    private static let inUse = Mutex<[Name: ObjectIdentifier]>([:])

    /// Kept alive, so that no other connection gets its identifier while names are in use.
    private let broker: BrokerConnection
    private let clientID: String

    init(broker: BrokerConnection, clientID: String) {
        (self.broker, self.clientID) = (broker, clientID.lowercased())
    }

    deinit { free() }

    func take(eraser name: String) throws(HandoverError) { try take(name, .eraser) }

    func take(reader name: String) throws(HandoverError) { try take(name, .reader) }

    private func take(_ text: String, _ kind: Kind) throws(HandoverError) {
        guard !text.isEmpty, HandoverName.isValid(text) else { throw HandoverError(code: .nameInvalid) }
        let name = Name(broker: ObjectIdentifier(broker), kind: kind, clientID: clientID, text: text)
        try Self.inUse.withLock { inUse throws(HandoverError) in
            guard !inUse.keys.contains(where: name.collides) else { throw HandoverError(code: .nameTaken) }
            guard inUse.keys.count(where: name.counts) < HandoverName.maximumCount else {
                throw HandoverError(code: .namesTooMany)
            }
            inUse[name] = ObjectIdentifier(self)
        }
    }

    /// Lets other objects use the names of this one.
    func free() {
        let user = ObjectIdentifier(self)
        Self.inUse.withLock { inUse in inUse = inUse.filter { $0.value != user } }
    }
}
