// SPDX-License-Identifier: Apache-2.0

/// One claim that an app requests.
#if canImport(ObjectiveC)
    @objc(MSALIndividualClaimRequest) @objcMembers
#endif
open class MSALIndividualClaimRequest: NSObject {
    /// The name of the claim.
    open var name: String
    /// Requirements on the claim in addition to its name.
    open var additionalInfo: MSALIndividualClaimRequestAdditionalInfo?

    /// Requests the claim `name`.
    public init(name: String) { self.name = name }
}
