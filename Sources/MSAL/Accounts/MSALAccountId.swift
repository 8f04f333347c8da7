// SPDX-License-Identifier: Apache-2.0

/// An account's identifier, split into its parts.
#if canImport(ObjectiveC)
    @objc(MSALAccountId) @objcMembers
#endif
open class MSALAccountId: NSObject, NSCopying, @unchecked Sendable {
    // Unchecked because the class is open; nothing in it changes after initialization.

    /// The complete identifier, `<object id>.<tenant id>`.
    open private(set) var identifier: String
    /// The user's object id in the tenant; nil if the identifier does not have exactly two parts (ACC-1).
    open private(set) var objectId: String?
    /// The home tenant; nil if the identifier does not have exactly two parts (ACC-1).
    open private(set) var tenantId: String?

    package init(identifier: String) {
        let parts = identifier.split(separator: ".", omittingEmptySubsequences: false)
        let isPair = parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
        self.identifier = identifier
        objectId = isPair ? String(parts[0]) : nil
        tenantId = isPair ? String(parts[1]) : nil
    }

    /// Returns the object itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether `object` is the same identifier, ignoring case.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? MSALAccountId)?.identifier.lowercased() == identifier.lowercased()
    }

    /// The hash of the lowercased identifier.
    open override var hash: Int { identifier.lowercased().hashValue }
}

extension MSALAccountId: CustomReflectable {
    /// An empty mirror, so that dumping an identifier into a log reveals no name.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
