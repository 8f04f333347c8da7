// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// A point at which a test can make one of the broker's programs die as with `kill -9`.
///
/// `BATON_FAILPOINT` names the point, in debug builds only. A release build contains no code for these points and does
/// not start if the variable is set.
package enum Failpoint: String, Sendable, CaseIterable {
    // The supervisor, in the order in which a session reaches these points.
    case signInJournaled = "sign-in.journaled"
    case keyMade = "sign-in.key-made"
    case admitted = "sign-in.admitted"
    case browserOrdered = "sign-in.browser-ordered"
    case sessionKnown = "sign-in.session-known"
    case signedInJournaled = "sign-in.signed-in-journaled"
    case confirmed = "sign-in.confirmed"
    case endRemembered = "sign-out.end-remembered"
    case endJournaled = "sign-out.journaled"
    case keyDestroyed = "sign-out.key-destroyed"
    case processEnded = "sign-out.process-ended"
    case browserClosing = "sign-out.browser-closing"
    case filesCleared = "sign-out.files-cleared"
    case receiptWritten = "sign-out.receipt-written"
    case readyJournaled = "sign-out.ready-journaled"
    case answered = "sign-out.answered"
    case joinWritten = "join.written"
    // The supervisor, when the device leaves or is reset.
    case departureOrdered = "departure.ordered"
    case departureTold = "departure.told"
    case departureErasing = "departure.erasing"
    case departureJoinErased = "departure.join-erased"
    case departureManagementErased = "departure.management-erased"
    // The supervisor, when it writes the receipt.
    case receiptBegun = "receipt.begun"
    case receiptSubjectKept = "receipt.subject-kept"
    case receiptTokensKept = "receipt.tokens-kept"
    case receiptCommitKept = "receipt.commit-kept"
    case receiptLineWritten = "receipt.line-written"
    case receiptAcknowledged = "receipt.acknowledged"
    // Reached only when the first line of a receipt key is written.
    case receiptKeyStated = "receipt.key-stated"
    case receiptEndBegun = "receipt.end-begun"
    // The session process.
    case sessionGranted = "session.granted"
    case sessionSealed = "session.sealed"
    case sessionBegun = "session.begun"
    case renewalGranted = "renewal.granted"
    case renewalSealed = "renewal.sealed"
    case joinKeysMade = "join.keys-made"
    case joinRegistered = "join.registered"
    case joinConfirmed = "join.confirmed"
    case leaseKept = "offline.lease-kept"
    case attemptCounted = "offline.attempt-counted"
    case leaseErased = "offline.lease-erased"
    // The agent.
    case browserStarted = "browser.started"
    case browserEnding = "browser.ending"
    case browserCleared = "browser.cleared"
    case agentRenewing = "agent.renewing"
    case agentRenewed = "agent.renewed"
    // The agent, then the supervisor, when the helper confines the browser.
    case browserHeld = "browser.held"
    case storageMade = "browser.storage-made"
    case browserConfined = "browser.confined"
    case browserKilled = "browser.killed"
    case storageRemoved = "browser.storage-removed"

    /// The programs that have failpoints.
    package enum Program: Sendable { case supervisor, session, agent }

    package var program: Program {
        switch self {
        case .sessionGranted, .sessionSealed, .sessionBegun, .renewalGranted, .renewalSealed, .joinKeysMade,
            .joinRegistered, .joinConfirmed, .leaseKept, .attemptCounted, .leaseErased:
            .session
        case .browserStarted, .browserEnding, .browserCleared, .agentRenewing, .agentRenewed, .browserHeld: .agent
        default: .supervisor
        }
    }

    /// The operation during which the point is reached.
    package enum Step: Sendable {
        case signIn, signOut, firstReceipt, renewal, join, departure, offline
        /// The helper confines a browser, or ends it.
        case confining, releasing
    }

    package var step: Step {
        switch self {
        case .signInJournaled, .keyMade, .admitted, .browserOrdered, .sessionKnown, .signedInJournaled, .confirmed,
            .sessionGranted, .sessionSealed, .sessionBegun, .browserStarted, .receiptBegun, .receiptSubjectKept,
            .receiptTokensKept:
            .signIn
        case .endRemembered, .endJournaled, .keyDestroyed, .processEnded, .browserClosing, .filesCleared,
            .receiptWritten, .readyJournaled, .answered, .browserEnding, .browserCleared, .agentRenewing,
            .agentRenewed, .receiptCommitKept, .receiptLineWritten, .receiptAcknowledged:
            .signOut
        case .renewalGranted, .renewalSealed: .renewal
        case .receiptKeyStated, .receiptEndBegun: .firstReceipt
        case .joinWritten, .joinKeysMade, .joinRegistered, .joinConfirmed: .join
        case .departureOrdered, .departureTold, .departureErasing, .departureJoinErased, .departureManagementErased:
            .departure
        case .leaseKept, .attemptCounted, .leaseErased: .offline
        case .browserHeld, .storageMade, .browserConfined: .confining
        case .browserKilled, .storageRemoved: .releasing
        }
    }

    package static let variable = "BATON_FAILPOINT"

    #if DEBUG
        private static let armed: Failpoint? = name.flatMap(Failpoint.init)

        /// Kills this process if `BATON_FAILPOINT` names this point.
        @inline(never) package func reach() { if self == Self.armed { _ = kill(getpid(), SIGKILL) } }

        /// Whether `BATON_FAILPOINT` names this point.
        package var isArmed: Bool { self == Self.armed }

        /// The environment that passes the failpoint on to child processes.
        package static var environment: [String: String] { name.map { [variable: $0] } ?? [:] }
    #else
        @inline(__always) package func reach() {}
        package var isArmed: Bool { false }
        package static var environment: [String: String] { [:] }
    #endif

    private static let name: String? = unsafe getenv(variable).map { unsafe String(cString: $0) }

    /// Checks the variable before the program does anything else.
    ///
    /// - Throws: ``FailpointUnknown`` for an unknown name, and for every name in a release build.
    package static func check() throws {
        guard let name else { return }
        #if DEBUG
            guard armed == nil else { return }
        #endif
        throw FailpointUnknown(name: name)
    }
}

/// The error if `BATON_FAILPOINT` names a failpoint that this build does not have.
package struct FailpointUnknown: Error, Equatable, CustomStringConvertible {
    package let name: String

    package var description: String {
        "failpoint_unknown: \(Failpoint.variable) names \(name), which this build does not have. Unset it; it is for tests."
    }
}
