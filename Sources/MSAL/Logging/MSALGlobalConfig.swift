// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Settings of the whole process.
#if canImport(ObjectiveC)
    @objc(MSALGlobalConfig) @objcMembers
#endif
open class MSALGlobalConfig: NSObject {
    /// Not to be used: everything here belongs to the class.
    @available(*, unavailable, message: "MSALGlobalConfig has class members only.")
    public override init() { super.init() }

    private static let logger = MSALLoggerConfig(log: .shared)
    private static let availability = Mutex(MSALBrokeredAvailability.auto)

    /// The settings of the log.
    open class var loggerConfig: MSALLoggerConfig { logger }

    /// Whether the process lets the broker take part, looked at by each call; ``MSALBrokeredAvailability/auto`` at first
    /// (BRK-1).
    open class var brokerAvailability: MSALBrokeredAvailability {
        get { availability.withLock { $0 } }
        set { availability.withLock { $0 = newValue } }
    }
}
