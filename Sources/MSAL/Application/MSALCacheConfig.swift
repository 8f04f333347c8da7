// SPDX-License-Identifier: Apache-2.0

/// Where an app's tokens would be kept on Apple's systems.
///
/// This library keeps no token, so that its settings have no effect. They are here for source written for Apple's systems.
#if canImport(ObjectiveC)
    @objc(MSALCacheConfig) @objcMembers
#endif
open class MSALCacheConfig: NSObject, NSCopying {
    /// The keychain group on Apple's systems.
    open var keychainSharingGroup: String

    init(keychainSharingGroup: String) { self.keychainSharingGroup = keychainSharingGroup }

    /// The group of all apps that share their accounts with Microsoft's, `com.microsoft.adalcache` (INIT-10).
    open class func defaultKeychainSharingGroup() -> String { "com.microsoft.adalcache" }

    /// A copy that can be changed without effect on this one.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    func duplicate() -> MSALCacheConfig { MSALCacheConfig(keychainSharingGroup: keychainSharingGroup) }
}
