// SPDX-License-Identifier: Apache-2.0

/// The operator's settings for devices and primary refresh tokens.
package struct DeviceConfiguration: Sendable {
    /// The organisation's region in device certificates: AF, AS, AP, EU, ME, NA or SA.
    package var region = "EU"
    /// How long a device certificate is valid.
    package var certificateLifetime: Duration = .seconds(10 * 365 * 86400)
    /// How long a primary refresh token is valid without renewal.
    package var primaryRefreshTokenLifetime: Duration = .seconds(14 * 86400)
    /// How long after the sign-in a primary refresh token expires, even if it is renewed.
    package var primaryRefreshTokenLimit: Duration = .seconds(90 * 86400)
    /// The maximum number of personal devices per person.
    package var devicesPerPerson = 50

    package init() {}
}
