// SPDX-License-Identifier: Apache-2.0

/// What an operator decides about devices and primary refresh tokens.
package struct DeviceConfiguration: Sendable {
    /// Where the organisation is, as device certificates say it: AF, AS, AP, EU, ME, NA or SA.
    package var region = "EU"
    /// How long a device certificate is good.
    package var certificateLifetime: Duration = .seconds(10 * 365 * 86400)
    /// How long a primary refresh token is good that nobody renews.
    package var primaryRefreshTokenLifetime: Duration = .seconds(14 * 86400)
    /// How long after its sign-in a primary refresh token can be renewed.
    package var primaryRefreshTokenLimit: Duration = .seconds(90 * 86400)
    /// How many devices of their own one person may register.
    package var devicesPerPerson = 50

    package init() {}
}
