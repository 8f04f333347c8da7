// SPDX-License-Identifier: Apache-2.0

/// One claim that an app asks for.
#if canImport(ObjectiveC)
    @objc(MSALIndividualClaimRequest) @objcMembers
#endif
open class MSALIndividualClaimRequest: NSObject {
    /// The name of the claim.
    open var name: String
    /// What is wanted of it beyond its name.
    open var additionalInfo: MSALIndividualClaimRequestAdditionalInfo?

    /// Asks for the claim `name`.
    public init(name: String) { self.name = name }
}
