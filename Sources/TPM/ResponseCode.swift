// SPDX-License-Identifier: Apache-2.0
internal import CTSS
internal import DeviceKeyStore

/// The result code of a call (TPM 2.0 library, part 2, section 6.6; the TPM2 Software Stack defines the layers).
struct ResponseCode: Equatable {
    let number: UInt32

    init(_ number: UInt32) { self.number = number }

    private static let layerShift: UInt32 = 16
    /// Layers that report the TPM's own codes: the TPM itself and the resource managers that pass them on.
    private static let ofChip: Set<UInt32> = [0, 12]
    private static let connection: UInt32 = 10
    private static let marshalling: UInt32 = 9

    private var layer: UInt32 { number >> Self.layerShift & 0xff }

    /// The TPM's code without the bits that name a parameter; nil if another layer reported the code.
    private var chipCode: UInt32? {
        guard Self.ofChip.contains(layer) else { return nil }
        let code = number & 0xffff
        return code & TPM2_RC_FMT1 == 0 ? code : code & 0xbf
    }

    private static let authorizationFailed = TPM2_RC_FMT1 + 0x00e
    private static let badAuthorization = TPM2_RC_FMT1 + 0x022
    private static let lockout = TPM2_RC_WARN + 0x021
    private static let noSuchHandle = TPM2_RC_FMT1 + 0x00b
    private static let uninitialized = TPM2_RC_VER1 + 0x04a
    private static let needsAuthorization = TPM2_RC_VER1 + 0x02f
    private static let notStarted = TPM2_RC_VER1 + 0x000
    private static let failureMode = TPM2_RC_VER1 + 0x001

    var isWrongAuthorization: Bool {
        [Self.authorizationFailed, Self.badAuthorization, Self.needsAuthorization].contains(chipCode)
    }
    var isLockout: Bool { chipCode == Self.lockout }
    /// No object has this handle.
    var isMissing: Bool { chipCode == Self.noSuchHandle }
    /// The counter was never incremented.
    var isUninitialized: Bool { chipCode == Self.uninitialized }
    /// The TPM does not work: it was not started, or its self-test failed.
    var isOutOfOrder: Bool { chipCode == Self.notStarted || chipCode == Self.failureMode }
    var isOfConnection: Bool { layer == Self.connection }
    var isOfMarshalling: Bool { layer == Self.marshalling }
}

extension TrustedPlatformFailure {
    init(_ code: ResponseCode) {
        self =
            if code.isWrongAuthorization {
                .wrongAuthorization
            } else if code.isLockout {
                .lockedOut
            } else if code.isOfConnection {
                .unavailable(cause: "the connection with it broke")
            } else if code.isOutOfOrder {
                .unavailable(cause: "it was not started, or failed its self-test")
            } else if code.isOfMarshalling {
                .foreign
            } else {
                .refused(code: code.number)
            }
    }
}
