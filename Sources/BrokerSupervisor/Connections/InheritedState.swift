// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import Logging
internal import UnixSocket

/// What the service manager started the broker with: sockets that it has bound, and session keys that it kept.
struct InheritedState: Sendable {
    /// The sockets' names, as the units give them (`FileDescriptorName=`).
    enum SocketName: String, CaseIterable { case broker, agent, control }

    private var listeners: [SocketName: Listener] = [:]
    /// Sockets of single apps, by bundle id.
    private(set) var apps: [String: Listener] = [:]
    /// By the epoch that each is the key of.
    private(set) var keys: [Epoch: MemoryKey] = [:]

    /// Sorts what was handed over.
    ///
    /// - Throws: ``InheritedStateError`` for a name that is not known: a misspelt one must not be passed by, for the broker
    ///   would then listen where nobody knocks. A kept key that is none any more is left out, which ends its session.
    init(_ inherited: InheritedDescriptors, logger: Logger) throws {
        for (name, descriptor) in inherited.all {
            if let socket = SocketName(rawValue: name) {
                guard listeners[socket] == nil else { throw InheritedStateError(name: name, cause: "comes twice") }
                do { listeners[socket] = try Listener(inherited: descriptor) } catch {
                    throw InheritedStateError(name: name, cause: "is no listening Unix stream socket")
                }
            } else if let app = Self.app(ofSocket: name) {
                guard apps[app] == nil else { throw InheritedStateError(name: name, cause: "comes twice") }
                do { apps[app] = try Listener(inherited: descriptor) } catch {
                    throw InheritedStateError(name: name, cause: "is no listening Unix stream socket")
                }
            } else if let epoch = Self.epoch(ofKey: name) {
                guard keys[epoch] == nil else { continue }
                do { keys[epoch] = try MemoryKey(handedOver: descriptor) } catch {
                    logger.error("a kept session key is of no use", metadata: ["error": "\(error)"])
                }
            } else {
                throw InheritedStateError(name: name, cause: "is not known")
            }
        }
    }

    /// Whether the socket of this name was handed over.
    func hands(_ name: SocketName) -> Bool { listeners[name] != nil }

    /// The listening socket of this name where one was handed over, else a new one at `path`.
    ///
    /// - Throws: ``InheritedStateError`` where the socket handed over is at another path, ``SocketError``.
    func listener(_ name: SocketName, path: String, mode: UInt32) throws -> Listener {
        guard let listener = listeners[name] else { return try Listener(path: path, mode: mode) }
        guard listener.path == path else {
            throw InheritedStateError(name: name.rawValue, cause: "listens at \(listener.path), not at \(path)")
        }
        return listener
    }

    /// `app-<bundle id>` names the socket of one app.
    private static let appPrefix = "app-"

    private static func app(ofSocket name: String) -> String? {
        guard name.hasPrefix(appPrefix) else { return nil }
        let bundleID = String(name.dropFirst(appPrefix.count))
        return AppRegistry.isName(bundleID) ? bundleID : nil
    }

    private static let keyPrefix = "session-key-"

    /// The name under which the manager keeps the key of an epoch.
    static func keyName(_ epoch: Epoch) -> String { keyPrefix + epoch.description }

    private static func epoch(ofKey name: String) -> Epoch? {
        guard name.hasPrefix(keyPrefix) else { return nil }
        return Epoch(String(name.dropFirst(keyPrefix.count)))
    }
}

/// The service manager started the broker with something that it cannot use.
struct InheritedStateError: Error, Equatable, CustomStringConvertible {
    let name: String
    let cause: String

    var description: String {
        "inherited_descriptor_unusable: the descriptor \(name) \(cause). Compare the socket units with those that came "
            + "with this version, and ListenStream with runtimeDirectory."
    }
}
