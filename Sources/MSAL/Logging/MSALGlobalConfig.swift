// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Settings for the whole process.
#if canImport(ObjectiveC)
    @objc(MSALGlobalConfig) @objcMembers
#endif
open class MSALGlobalConfig: NSObject {
    /// Unavailable: the class has only class members.
    @available(*, unavailable, message: "MSALGlobalConfig has class members only.")
    public override init() { super.init() }

    private static let logger = MSALLoggerConfig(log: .shared)
    private static let availability = Mutex(MSALBrokeredAvailability.auto)

    /// The log settings.
    open class var loggerConfig: MSALLoggerConfig { logger }

    /// Whether the process uses the broker; ``MSALBrokeredAvailability/auto`` by default. Each call reads the current
    /// value (BRK-1).
    open class var brokerAvailability: MSALBrokeredAvailability {
        get { availability.withLock { $0 } }
        set { availability.withLock { $0 = newValue } }
    }
}
