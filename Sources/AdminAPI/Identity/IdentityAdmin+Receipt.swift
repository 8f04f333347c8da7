// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// Whom a receipt's pseudonym means.
    package struct ReceiptSubject: Codable, Sendable, Equatable {
        /// The person's object id.
        package let user: String
        /// Nil where the organisation has the person no more.
        package let userPrincipalName: String?
        /// The device that the pseudonym was made for; another than the receipt's is a sign of fraud.
        package let device: String
        package let session: String

        package init(user: String, userPrincipalName: String?, device: String, session: String) {
            self.user = user
            self.userPrincipalName = userPrincipalName
            self.device = device
            self.session = session
        }
    }
}
