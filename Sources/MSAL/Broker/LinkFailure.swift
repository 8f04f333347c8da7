// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// Why a call to the broker brought no response.
///
/// "There is no broker, and the device is known to be personal" is one case of its own; every other case means that
/// nobody could find out, and must never be read as an answer.
enum LinkFailure: Error, Equatable {
    /// The app does not let the broker take part (BRK-1).
    case switchedOff
    /// No socket is there and nothing says that the device is managed.
    case personalDevice
    /// The device is managed, or a broker was there before, but nobody answers; with the kernel's reason.
    case unreachable(reason: String)
    /// Whoever listens on the socket is neither root, nor this user, nor the owner of the socket's folder.
    case untrusted(uid: UInt32)
    /// The broker speaks no version of the transport that this library speaks.
    case incompatible
    /// The connection ended before the reply came; what the broker did is not known.
    case ended
    /// The broker sent something that is not a message of the protocol.
    case corrupted
    /// No reply came in time.
    case tooLate
    /// The app gave the sign-in up.
    case canceled
    /// The process is a child of fork() that has started no program: only its parent has the connection.
    case forked
    /// Too many calls wait already.
    case overloaded
    /// The parameters are longer than the broker takes; nothing was sent, for it would end the connection of all calls.
    case tooLong
    /// The broker answered with an error.
    case refused(BrokerError)
}

extension LinkFailure {
    /// Whether trying again within the same second could help.
    var isPassing: Bool {
        switch self {
        case .unreachable, .ended, .corrupted, .tooLate, .overloaded: true
        case .switchedOff, .personalDevice, .untrusted, .incompatible, .canceled, .forked, .tooLong, .refused: false
        }
    }
}
