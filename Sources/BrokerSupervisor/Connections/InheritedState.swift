// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceKeyStore
internal import DeviceSettings
internal import Logging
internal import UnixSocket

/// The descriptors that the service manager passed to the broker: the sockets that the service manager has bound, and
/// the session keys that it kept.
struct InheritedState: Sendable {
    /// The names of the sockets, as set in the units (`FileDescriptorName=`).
    enum SocketName: String, CaseIterable { case broker, agent, control, status }

    private var listeners: [SocketName: Listener] = [:]
    /// The sockets of single apps, by bundle id.
    private(set) var apps: [String: Listener] = [:]
    /// The kept session keys, by epoch.
    private(set) var keys: [Epoch: MemoryKey] = [:]

    /// Sorts the inherited descriptors into sockets and session keys.
    ///
    /// - Throws: ``InheritedStateError`` for a descriptor that the broker cannot use. An unknown name is also an error:
    ///   if a misspelt name were ignored, the broker would listen where no client connects. An invalid session key is
    ///   not an error: the key is left out, and its session ends.
    init(_ inherited: InheritedDescriptors, logger: Logger) throws {
        for (name, descriptor) in inherited.all {
            if let socket = SocketName(rawValue: name) {
                guard listeners[socket] == nil else { throw InheritedStateError(name: name, cause: "comes twice") }
                do { listeners[socket] = try Listener(inherited: descriptor) } catch {
                    throw InheritedStateError(name: name, cause: "is not a listening Unix stream socket")
                }
            } else if let app = Self.app(ofSocket: name) {
                guard apps[app] == nil else { throw InheritedStateError(name: name, cause: "comes twice") }
                do { apps[app] = try Listener(inherited: descriptor) } catch {
                    throw InheritedStateError(name: name, cause: "is not a listening Unix stream socket")
                }
            } else if let epoch = Self.epoch(ofKey: name) {
                guard keys[epoch] == nil else { continue }
                do { keys[epoch] = try MemoryKey(handedOver: descriptor) } catch {
                    logger.error("a kept session key cannot be used", metadata: ["error": "\(error)"])
                }
            } else {
                throw InheritedStateError(name: name, cause: "is not known")
            }
        }
    }

    /// Whether the socket of this name was inherited.
    func hands(_ name: SocketName) -> Bool { listeners[name] != nil }

    /// Returns the inherited listening socket of this name or, if there is none, a new one at `path`.
    ///
    /// - Throws: ``InheritedStateError`` if the inherited socket is at a different path, ``SocketError``.
    func listener(_ name: SocketName, path: String, mode: UInt32) throws -> Listener {
        guard let listener = listeners[name] else { return try Listener(path: path, mode: mode) }
        guard listener.path == path else {
            throw InheritedStateError(name: name.rawValue, cause: "listens at \(listener.path), not at \(path)")
        }
        return listener
    }

    /// The prefix of the name of a single app's socket, which is `app-<bundle id>`.
    private static let appPrefix = "app-"

    private static func app(ofSocket name: String) -> String? {
        guard name.hasPrefix(appPrefix) else { return nil }
        let bundleID = String(name.dropFirst(appPrefix.count))
        return AppRegistry.isName(bundleID) ? bundleID : nil
    }

    private static let keyPrefix = "session-key-"

    /// The name under which the service manager keeps the key of an epoch.
    static func keyName(_ epoch: Epoch) -> String { keyPrefix + epoch.description }

    private static func epoch(ofKey name: String) -> Epoch? {
        guard name.hasPrefix(keyPrefix) else { return nil }
        return Epoch(String(name.dropFirst(keyPrefix.count)))
    }
}

/// The service manager passed a descriptor that the broker cannot use.
struct InheritedStateError: Error, Equatable, CustomStringConvertible {
    let name: String
    let cause: String

    var description: String {
        "inherited_descriptor_unusable: the descriptor \(name) \(cause). Compare the socket units with those that came "
            + "with this version, and ListenStream with runtimeDirectory."
    }
}
