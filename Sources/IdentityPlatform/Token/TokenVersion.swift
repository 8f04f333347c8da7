// SPDX-License-Identifier: Apache-2.0

/// The two generations of the endpoints: `…/oauth2/token` asks by `resource` and answers in texts, `…/oauth2/v2.0/token`
/// asks by `scope` and answers in numbers. Their tokens differ in issuer and claims; what they are good for does not.
package enum TokenVersion: String, Sendable {
    case one = "1.0"
    case two = "2.0"
}
