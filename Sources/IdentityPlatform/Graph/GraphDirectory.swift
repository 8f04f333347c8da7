// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// What the routes of Graph need to read and change the directory.
struct GraphDirectory: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let configuration: IdentityConfiguration
    /// The key with which page tokens are sealed.
    let storageKey: StorageKey
    /// Returns the administrative acts, with a caller as their actor.
    let administration: @Sendable (AdminActor) -> Administration

    init(_ platform: Platform) {
        (database, environment) = (platform.database, platform.environment)
        (configuration, storageKey) = (platform.configuration, platform.storageKey)
        administration = { Administration(platform, as: $0) }
    }
}
