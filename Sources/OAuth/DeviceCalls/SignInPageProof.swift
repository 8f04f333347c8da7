// SPDX-License-Identifier: Apache-2.0

/// A device's statement that a sign-in page is shown on it, sent in the authorization request that opens the page
/// (`ParameterName.deviceProof`). It proves nothing about the user.
package struct SignInPageProof: DeviceCall {
    package let binding: CallBinding
    /// The epoch for which the user signs in.
    package let epoch: DeviceEpoch

    package init(_ binding: CallBinding, epoch: DeviceEpoch) { (self.binding, self.epoch) = (binding, epoch) }

    package static func path(tenant: String) -> String { EndpointPath.authorize(tenant: tenant) }

    package init(_ claims: Members) throws(MembersFailure) {
        binding = try CallBinding(claims)
        guard let epoch = try DeviceEpoch.read(claims) else { throw .missing(ClaimName.epochID.rawValue) }
        self.epoch = epoch
    }

    package func write(to payload: inout MembersWriter) { epoch.write(to: &payload) }
}
