// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird

struct AuthorizeEndpoint: Sendable {
    let platform: Platform
    func addRoutes(to router: Router<IdentityContext>) {}
}
