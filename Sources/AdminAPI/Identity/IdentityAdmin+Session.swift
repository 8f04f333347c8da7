// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// A sign-in that has not ended.
    package struct Session: Codable, Sendable, Equatable {
        /// The `sid` of everything that came of it.
        package let id: String
        package let userPrincipalName: String
        /// The device id of the device that it is bound to.
        package let device: String?
        /// What the directory calls that device.
        package let deviceName: String?
        /// Milliseconds since 1970.
        package let begunAt: Int64

        package init(id: String, userPrincipalName: String, device: String?, deviceName: String?, begunAt: Int64) {
            self.id = id
            self.userPrincipalName = userPrincipalName
            self.device = device
            self.deviceName = deviceName
            self.begunAt = begunAt
        }
    }
}
