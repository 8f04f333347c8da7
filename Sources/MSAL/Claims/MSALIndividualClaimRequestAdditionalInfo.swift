// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The requirements on one requested claim (OpenID Connect Core section 5.5.1).
#if canImport(ObjectiveC)
    @objc(MSALIndividualClaimRequestAdditionalInfo) @objcMembers
#endif
open class MSALIndividualClaimRequestAdditionalInfo: NSObject {
    /// A boolean: whether the app requires the claim.
    open var essential: NSNumber?
    /// The value that the claim should have, as a JSON value.
    open var value: Any?
    /// A list of JSON values. The claim should have one of them as its value.
    open var values: [Any]?

    /// Makes an object without requirements.
    public override init() { super.init() }

    /// The members of the JSON object; nil if there are none.
    var json: [String: Any]? {
        var members: [String: Any] = [:]
        if let essential { members["essential"] = essential.boolValue }
        if let value { members["value"] = value }
        if let values { members["values"] = values }
        return members.isEmpty ? nil : members
    }

    /// Reads the members of a JSON object; returns nil if a member has the wrong type.
    convenience init?(json: [String: JSONValue]) {
        self.init()
        if let member = json["essential"] {
            guard let essential = member.bool else { return nil }
            self.essential = NSNumber(value: essential)
        }
        if let member = json["values"] {
            guard let values = member.array else { return nil }
            self.values = values.map(\.foundation)
        }
        value = json["value"]?.foundation
    }
}
