// SPDX-License-Identifier: Apache-2.0

#if canImport(ObjectiveC)
    @nonobjc
#endif
extension MSALResult {
    /// The tenant that the token is of.
    @available(*, deprecated, message: "Use tenantProfile.tenantId.")
    public var tenantId: String? { tenantProfile.tenantId }

    /// The person's object id in the tenant that the token is of.
    @available(*, deprecated, message: "Use tenantProfile.identifier.")
    public var uniqueId: String? { tenantProfile.identifier }
}
