// SPDX-License-Identifier: Apache-2.0

/// The token cache settings of Apple's systems.
///
/// This library caches no tokens, so the settings have no effect. The class exists so that source written for Apple's
/// systems compiles.
#if canImport(ObjectiveC)
    @objc(MSALCacheConfig) @objcMembers
#endif
open class MSALCacheConfig: NSObject, NSCopying {
    /// The keychain group on Apple's systems.
    open var keychainSharingGroup: String

    init(keychainSharingGroup: String) { self.keychainSharingGroup = keychainSharingGroup }

    /// The group that apps use to share their accounts with Microsoft's apps, `com.microsoft.adalcache` (INIT-10).
    open class func defaultKeychainSharingGroup() -> String { "com.microsoft.adalcache" }

    /// Returns an independent copy.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    func duplicate() -> MSALCacheConfig { MSALCacheConfig(keychainSharingGroup: keychainSharingGroup) }
}
