// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes

extension HTTPField.Name {
    /// Every state-changing request from the page carries this field.
    static let home = named("X-Baton-Home")
    static let fetchSite = named("Sec-Fetch-Site")
    static let resourcePolicy = named("Cross-Origin-Resource-Policy")
    static let referrerPolicy = named("Referrer-Policy")

    private static func named(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is not a token (RFC 9110)") }
        return name
    }
}
