// SPDX-License-Identifier: Apache-2.0

/// A worker's account as apps see it.
open class MSALAccount: NSObject, NSCopying, @unchecked Sendable {
    // Unchecked because the class is open; everything in it is constant.

    /// The name to show; nil for a worker who has signed out, of whom only the identifier is kept.
    public let username: String?
    /// `<object id>.<tenant id>`, the same in all apps.
    public let identifier: String?
    /// The host of the identity platform.
    public let environment: String

    init(identifier: String?, username: String?, environment: String) {
        self.identifier = identifier
        self.username = username
        self.environment = environment
    }

    /// The object itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Two accounts are equal by their identifiers or, if one has none, by user name, whatever the case (ACC-2).
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MSALAccount else { return false }
        if let identifier, let theirs = other.identifier { return identifier.lowercased() == theirs.lowercased() }
        guard let username, let theirs = other.username else { return self === other }
        return username.lowercased() == theirs.lowercased()
    }

    /// The same for all: equality by identifier or by name leaves no finer hash.
    open override var hash: Int { 0 }
}

extension MSALAccount: CustomReflectable {
    /// Shows nothing, so that dumping an account into a log names nobody.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
