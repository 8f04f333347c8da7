// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// What an app wants of one claim beyond its name (OpenID Connect Core section 5.5.1).
#if canImport(ObjectiveC)
    @objc(MSALIndividualClaimRequestAdditionalInfo) @objcMembers
#endif
open class MSALIndividualClaimRequestAdditionalInfo: NSObject {
    /// A truth value: whether the app cannot do without the claim.
    open var essential: NSNumber?
    /// The value that the claim should have; a JSON value.
    open var value: Any?
    /// The values of which the claim should have one; JSON values.
    open var values: [Any]?

    /// Asks for nothing in particular.
    public override init() { super.init() }

    /// The members of the JSON object; nil where there are none.
    var json: [String: Any]? {
        var members: [String: Any] = [:]
        if let essential { members["essential"] = essential.boolValue }
        if let value { members["value"] = value }
        if let values { members["values"] = values }
        return members.isEmpty ? nil : members
    }

    /// Takes the members of a JSON object over; nil where one has the wrong type.
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
