// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import MSAL

/// What one eraser still has to erase, and what must happen next.
enum EraserState: Equatable {
    /// It is not known whether the eraser still has to erase anything.
    case unknown
    /// The broker is asked which ended epoch the eraser must erase.
    case asking
    /// The app's block erases the data of this epoch.
    case erasing(Epoch)
    /// The result for this epoch is being reported to the broker. One report is under way at a time, so an answer always
    /// belongs to the last attempt.
    case reporting(Epoch, EraserReport.Result)
    /// The report for this epoch did not arrive, and is sent again.
    case unreported(Epoch, EraserReport.Result)
    /// The broker is asked to wait for this eraser at the next sign-out.
    case registering
    /// The next sign-out waits for this eraser.
    case registered
    /// Nobody is signed in, so there is nothing to erase at the next sign-out.
    case idle
    /// The app is locked because of another eraser.
    case locked
    /// The broker refuses the eraser, or the data could not be erased. This state ends when the connection ends.
    case failed(LinkFailure)

    /// Whether this eraser allows the app to learn of a worker: it has nothing left to erase, and the next sign-out
    /// either waits for this eraser or leaves nothing to erase.
    var isSettled: Bool { self == .registered || self == .idle }

    /// Whether this state ends by itself: the eraser becomes settled, or it fails.
    var isAtWork: Bool {
        switch self {
        case .asking, .erasing, .reporting, .unreported, .registering: true
        case .unknown, .registered, .idle, .locked, .failed: false
        }
    }

    /// Why the app may not learn of a worker, if the eraser has failed; nil otherwise.
    var obstacle: LinkFailure? {
        guard case .failed(let failure) = self else { return nil }
        return failure
    }

    /// Whether the broker is asked again once the app is no longer locked.
    var mayAskAgain: Bool { self == .locked || self == .registering || obstacle != nil }

    /// Whether something is under way that does not depend on the connection: the app's block, or a report, which has a
    /// connection of its own.
    var isIndependent: Bool {
        switch self {
        case .erasing, .reporting: true
        case .unknown, .asking, .unreported, .registering, .registered, .idle, .locked, .failed: false
        }
    }

    /// Returns the state after the connection has opened.
    var reopened: EraserState {
        switch self {
        case .erasing, .reporting: self
        case .unreported: resent
        case .unknown, .asking, .registering, .registered, .idle, .locked, .failed: .asking
        }
    }

    /// Returns the state after the connection was lost.
    var disconnected: EraserState {
        switch self {
        case .erasing, .reporting, .unreported: self
        case .unknown, .asking, .registering, .registered, .idle, .locked, .failed: .unknown
        }
    }

    /// Returns the state after the broker has answered which epoch must be erased.
    func owes(_ answer: Result<Epoch?, LinkFailure>) -> EraserState {
        guard self == .asking else { return self }
        switch answer {
        case .success(let ended?): return .erasing(ended)
        case .success(nil): return .registering
        case .failure(let failure): return Self.after(failure)
        }
    }

    /// Returns the state after the broker has answered a registration.
    func registered(_ answer: Result<Void, LinkFailure>) -> EraserState {
        guard self == .registering else { return self }
        switch answer {
        case .success: return .registered
        case .failure(.refused(let error)) where error.code == .interactionRequired: return .idle
        case .failure(.refused(let error)) where error.code == .appLocked: return .locked
        case .failure(let failure): return Self.after(failure)
        }
    }

    /// Returns the state after a report that did not arrive was sent again.
    var resent: EraserState {
        guard case .unreported(let epoch, let result) = self else { return self }
        return .reporting(epoch, result)
    }

    /// Returns the state after the broker has answered a report, or the report has failed.
    func reported(_ epoch: Epoch, _ answer: Result<Void, LinkFailure>) -> EraserState {
        guard case .reporting(epoch, let result) = self else { return self }
        switch answer {
        case .success: return result == .done ? .asking : .failed(.refused(Self.kept))
        case .failure(.refused(let error)): return .failed(.refused(error))
        case .failure: return .unreported(epoch, result)
        }
    }

    /// The error that an app gets after its eraser has failed: the same error that the broker sends to a locked app.
    private static let kept = BrokerError(.appLocked, "")

    private static func after(_ failure: LinkFailure) -> EraserState {
        failure.isPassing ? .unknown : .failed(failure)
    }
}
