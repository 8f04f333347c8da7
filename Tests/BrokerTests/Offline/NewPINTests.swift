// SPDX-License-Identifier: Apache-2.0
import BrokerSession
import Redaction
import Testing

/// The rules for texts that are accepted as a PIN.
@Suite struct NewPINTests {
    private static let moment = ContinuousClock.now

    private func refusal(_ pin: String, _ again: String?, after seconds: Int = 0) -> OfflinePage.Notice? {
        NewPIN.refusal(
            of: .init(
                name: "", secret: SecretBytes(copying: pin.utf8), again: again.map { SecretBytes(copying: $0.utf8) }),
            after: RecentSignIn(at: Self.moment), at: Self.moment + .seconds(seconds))
    }

    @Test func `a PIN must be typed twice and be acceptable`() {
        #expect(refusal("480271", "480271") == nil)
        #expect(refusal("480271", "480272") == .pinsDiffer)
        #expect(refusal("480271", "48027") == .pinsDiffer)
        #expect(refusal("480271", nil) == .pinsDiffer)
        #expect(refusal("48027", "48027") == .pinShape)
        #expect(refusal("123456", "123456") == .pinTrivial)
    }

    @Test func `three minutes after the sign-in no PIN can be set, because anybody may be at the device`() {
        #expect(refusal("480271", "480271", after: 179) == nil)
        #expect(refusal("480271", "480271", after: 180) == .pinLate)
        #expect(refusal("480271", "480271", after: 100_000) == .pinLate)
    }
}
