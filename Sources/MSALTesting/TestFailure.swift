// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol

/// An error that a call to a ``TestDevice`` can end with.
///
/// The library converts this error as it converts an error of a real broker, with the codes, texts and reasons of
/// `docs/reference/errors.md`.
public struct TestFailure: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case refusal(BrokerError)
        case lostConnection
        case garbage
        case silence
    }

    let kind: Kind
    private let name: String

    private init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }

    private init(
        _ name: String, _ code: BrokerError.Code, reason: BrokerError.Reason? = nil, oauth: String? = nil,
        suberror: String? = nil
    ) {
        // The text of the device's own error. An error without one gets the text of the library's catalogue.
        let message = reason?.message ?? ""
        self.init(
            name, .refusal(BrokerError(code, message, reason: reason, oauthError: oauth, oauthSuberror: suberror)))
    }

    /// User interaction is required: -50002.
    public static let interactionRequired = TestFailure(
        "interactionRequired", .interactionRequired, oauth: "interaction_required")
    /// The user closed the page: -50005.
    public static let canceled = TestFailure("canceled", .userCanceled)
    /// The identity platform cannot be reached.
    public static let noNetwork = TestFailure("noNetwork", .network)
    /// The worker signed in offline, so there are no tokens yet.
    public static let signedInOffline = TestFailure("signedInOffline", .network, reason: .signedInOffline)
    /// The identity platform failed.
    public static let serverFailed = TestFailure("serverFailed", .serverError, oauth: "server_error")
    /// Another worker is signed in.
    public static let otherWorker = TestFailure("otherWorker", .mismatchedAccount, reason: .otherAccount)
    /// Another sign-in is running: -50000, `sign_in_running`.
    public static let signInRunning = TestFailure("signInRunning", .interactionRunning)
    /// The app has removed the account, and nobody has signed in through it since: -50002.
    public static let accountRemoved = TestFailure("accountRemoved", .interactionRequired, reason: .accountRemoved)
    /// The app's client id is not registered on the device.
    public static let unknownClient = TestFailure("unknownClient", .unauthorizedClient, reason: .unknownClient)
    /// The organisation blocks the app.
    public static let appBlocked = TestFailure("appBlocked", .unauthorizedClient, reason: .blocked)
    /// The app has not erased a former worker's data and is locked until it does.
    public static let appLocked = TestFailure("appLocked", .appLocked)
    /// Shared mode is not completely configured on the device.
    public static let deviceNotShared = TestFailure("deviceNotShared", .brokerUnavailable, reason: .notShared)
    /// The directory has disabled the device: -50002.
    public static let deviceDisabled = TestFailure("deviceDisabled", .interactionRequired, reason: .deviceDisabled)
    /// The directory has removed the device: -50002.
    public static let deviceRemoved = TestFailure("deviceRemoved", .interactionRequired, reason: .deviceRemoved)
    /// The device is not joined: -50001.
    public static let joinRequired = TestFailure("joinRequired", .workplaceJoinRequired)
    /// The app must be under a protection policy: -50004.
    public static let protectionPolicyRequired = TestFailure(
        "protectionPolicyRequired", .unauthorizedClient, oauth: "unauthorized_client",
        suberror: "protection_policy_required")
    /// The sign-in page cannot be shown because there is no screen or no agent.
    public static let noWindow = TestFailure("noWindow", .noWindow, reason: .agentMissing)

    /// The connection ends before the answer. The library repeats idempotent calls once.
    public static let lostConnection = TestFailure("lostConnection", .lostConnection)
    /// The answer is not a message of the protocol.
    public static let garbage = TestFailure("garbage", .garbage)
    /// No answer arrives. The call ends at its deadline, see ``TestDevice/init(_:answersWithin:now:notifications:)``.
    public static let silence = TestFailure("silence", .silence)
}

/// Described by its name, so that a failed test shows which failure it simulated.
extension TestFailure: CustomStringConvertible {
    public var description: String { name }
}
