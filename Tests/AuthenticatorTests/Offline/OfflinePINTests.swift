// SPDX-License-Identifier: Apache-2.0
import Authenticator
import Redaction
import Testing

@Suite struct OfflinePINTests {
    @Test(arguments: ["12345", "1234567890123456789012345678901234", "12345a", "", "１２３４５６"])
    func `a PIN of another shape is refused`(pin: String) {
        #expect(throws: OfflinePIN.Weakness.shape) { try OfflinePIN.check(pin) }
    }

    @Test(arguments: ["000000", "123456", "987654", "789012", "121212", "123123", "0987654"])
    func `a PIN that everybody tries first is refused`(pin: String) {
        #expect(throws: OfflinePIN.Weakness.trivial) { try OfflinePIN.check(pin) }
    }

    @Test func `any other is taken and known again`() throws {
        try OfflinePIN.check("480271")
        let pin = try OfflinePIN(SecretBytes(copying: "480271".utf8), salt: [UInt8](repeating: 1, count: 16))
        #expect(try pin.matches(SecretBytes(copying: "480271".utf8)))
        #expect(try !pin.matches(SecretBytes(copying: "480272".utf8)))
    }
}
