// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC

/// What the MDM made of the device, as the broker needs it.
package protocol DeviceManaged: Sendable {
    /// What holds now.
    var settings: ManagedSettings { get }
    /// Makes sure that every app can know that the device is managed, where it is; before the broker serves.
    ///
    /// - Throws: ``FileError``; the broker does not serve then.
    func declare() throws
    /// Hears of each stage of the worker's session, from the supervisor's thread; must not block.
    func session(is stage: SessionStage)
    /// Installs an enrollment profile (base64) and enrolls; answers once, from any thread.
    func enroll(profile: String, answer: @escaping @Sendable (OperatorReply) -> Void)
    /// Ends the enrollment and removes everything that it brought; answers once, from any thread.
    func unenroll(answer: @escaping @Sendable (OperatorReply) -> Void)
    /// Asks the MDM for work now; answers when it has no more for this visit, from any thread.
    func checkIn(answer: @escaping @Sendable (OperatorReply) -> Void)
}

/// The switches and apps that the MDM set.
package struct ManagedSettings: Sendable, Equatable {
    package var enrolled: Bool
    package var brokerManaged: Bool
    package var profileShared: Bool
    package var appConfigurationShared: Bool
    /// The apps that the MDM gave a client of the identity platform.
    package var apps: [RegisteredApp]
    /// Bundle ids of everything that the MDM installed.
    package var installed: Set<String>
    /// Which apps may use single sign-on.
    package var rules: AppPermissions
    /// What the MDM overrides of the session policy.
    package var sessionPolicy = SessionPolicyOverride()
    /// Why that cannot be done.
    package var sessionPolicyError: SessionPolicyError?
    /// What of the apps and rules cannot be understood.
    package var registryFailure: RegistryFailure?

    package init(
        enrolled: Bool, brokerManaged: Bool, profileShared: Bool, appConfigurationShared: Bool, apps: [RegisteredApp],
        installed: Set<String> = [], rules: AppPermissions = AppPermissions(), registryFailure: RegistryFailure? = nil
    ) {
        self.enrolled = enrolled
        self.brokerManaged = brokerManaged
        self.profileShared = profileShared
        self.appConfigurationShared = appConfigurationShared
        self.apps = apps
        self.installed = installed
        self.rules = rules
        self.registryFailure = registryFailure
    }
}
