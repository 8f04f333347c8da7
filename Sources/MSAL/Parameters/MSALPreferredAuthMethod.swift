// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are Microsoft's.

/// A preferred authentication method.
#if canImport(ObjectiveC)
    @objc(MSALPreferredAuthMethod)
#endif
public enum MSALPreferredAuthMethod: UInt, Sendable {
    /// No preference.
    case none = 0
    /// A QR code and a PIN.
    case QRPIN = 1
}
