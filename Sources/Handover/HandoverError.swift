// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
public import Foundation

/// An error in an app's use of ``Handover``.
public struct HandoverError: Error, Sendable, Equatable, LocalizedError, CustomStringConvertible {
    /// A stable name of the cause.
    public enum Code: String, Sendable, CaseIterable {
        /// The name of a reader or an eraser is empty, is too long, or contains characters other than the letters a to
        /// z.
        case nameInvalid = "handover_name_invalid"
        /// The process already has a reader or an eraser with this name.
        case nameTaken = "handover_name_taken"
        /// The app already has the maximum number of readers or erasers.
        case namesTooMany = "handover_names_too_many"
        /// The process already has the maximum number of blocks that run before the end of a session.
        case blocksTooMany = "handover_blocks_too_many"
        /// The object has been closed.
        case closed = "handover_closed"
        /// The application may not use the broker.
        case brokerSwitchedOff = "handover_broker_switched_off"
    }

    /// The stable name of the cause.
    public let code: Code

    /// Makes an error, for an app's own tests.
    public init(code: Code) { self.code = code }

    /// Cause and remedy; contains no user data.
    public var description: String {
        switch code {
        case .nameInvalid: "The name is not valid. Use 1 to 16 letters from a to z."
        case .nameTaken:
            "The name is in use in this process. Choose another, or close the Handover object that uses it."
        case .namesTooMany:
            "There are already \(HandoverName.maximumCount) names. Use one of them for several purposes."
        case .blocksTooMany:
            "There are already \(HandoverName.maximumCount) blocks. Call several functions in one of them."
        case .closed: "This Handover object is closed. Use the object that has replaced it."
        case .brokerSwitchedOff:
            "The application may not use the broker. Set brokerAvailability to auto, and do not bypass the check of the "
                + "redirect URI."
        }
    }

    public var errorDescription: String? { description }
}
