// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// A session that has not ended.
    package struct Session: Codable, Sendable, Equatable {
        /// The `sid` of all tokens and credentials of this session.
        package let id: String
        package let userPrincipalName: String
        /// The device id of the device that the session is bound to.
        package let device: String?
        /// The display name of that device in the directory.
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
