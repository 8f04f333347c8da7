// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol

/// A device that no MDM manages: personal, with no registered app.
struct UnmanagedDevice: DeviceManaged {
    var settings: ManagedSettings {
        ManagedSettings(
            enrolled: false, brokerManaged: false, profileShared: false, appConfigurationShared: false, apps: [])
    }

    func enroll(profile: String, answer: @escaping @Sendable (OperatorReply) -> Void) {
        answer(.failed(Self.failure))
    }

    func checkIn(answer: @escaping @Sendable (OperatorReply) -> Void) { answer(.failed(Self.failure)) }

    private static let failure = OperatorFailure(
        code: "not_enrolled", message: "No MDM manages this device.", remedy: "Enrol it: baton device enroll.")
}
