// SPDX-License-Identifier: Apache-2.0

/// An account's identifier in its parts.
#if canImport(ObjectiveC)
    @objc(MSALAccountId) @objcMembers
#endif
open class MSALAccountId: NSObject, NSCopying, @unchecked Sendable {
    // Unchecked because the class is open; nothing in it changes after it was made.

    /// The whole identifier, `<object id>.<tenant id>`.
    open private(set) var identifier: String
    /// The person in the tenant; nil where the identifier has not two parts (ACC-1).
    open private(set) var objectId: String?
    /// The home tenant; nil where the identifier has not two parts (ACC-1).
    open private(set) var tenantId: String?

    package init(identifier: String) {
        let parts = identifier.split(separator: ".", omittingEmptySubsequences: false)
        let isPair = parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
        self.identifier = identifier
        objectId = isPair ? String(parts[0]) : nil
        tenantId = isPair ? String(parts[1]) : nil
    }

    /// The object itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether `object` is the same identifier, whatever the case.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? MSALAccountId)?.identifier.lowercased() == identifier.lowercased()
    }

    /// The hash of the identifier in lower case.
    open override var hash: Int { identifier.lowercased().hashValue }
}

extension MSALAccountId: CustomReflectable {
    /// Shows nothing, so that dumping an identifier into a log names nobody.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
