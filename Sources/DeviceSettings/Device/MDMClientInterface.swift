// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrowserPolicies

/// The device's management by the MDM, as far as the broker needs it.
package protocol MDMClientInterface: Sendable {
    /// The settings in force now.
    var settings: ManagedSettings { get }
    /// Makes the managed state visible to every app if the device is managed. Called before the broker serves apps.
    ///
    /// - Throws: ``FileError``. In that case the broker does not start.
    func declare() throws
    /// Receives each stage of the worker's session. Called on the supervisor's thread; must not block.
    func session(is stage: SessionStage)
    /// Installs an enrollment profile (base64) and enrolls. Calls `answer` once, on any thread.
    func enroll(profile: String, answer: @escaping @Sendable (OperatorReply) -> Void)
    /// Ends the enrollment and removes everything that it installed. Calls `answer` once, on any thread.
    func unenroll(answer: @escaping @Sendable (OperatorReply) -> Void)
    /// Asks the MDM for commands now. Calls `answer`, on any thread, when the MDM has no more commands for this
    /// check-in.
    func checkIn(answer: @escaping @Sendable (OperatorReply) -> Void)
}

/// The settings and apps that the MDM set.
package struct ManagedSettings: Sendable, Equatable {
    package var enrolled: Bool
    package var brokerManaged: Bool
    package var profileShared: Bool
    package var appConfigurationShared: Bool
    /// The apps to which the MDM gave a client of the identity platform.
    package var apps: [RegisteredApp]
    /// Bundle ids of all apps that the MDM installed.
    package var installed: Set<String>
    /// The rules that decide which apps may use single sign-on.
    package var rules: AppPermissions
    /// The settings that decide for which addresses a browser is signed in.
    package var singleSignOn = SSOExtensionSettings()
    /// The MDM's configuration of the worker's browser.
    package var browser = BrowserConfiguration.standard
    /// The version of the home screen's configuration that the MDM pushed and the broker has published; nil if there is
    /// none.
    package var homeScreen: String?
    /// The MDM's values for keys of the session policy.
    package var sessionPolicy = SessionPolicyOverride()
    /// Why the MDM's session policy is invalid; nil if it is valid.
    package var sessionPolicyError: SessionPolicyError?
    /// Why the apps and rules cannot be read; nil if they can.
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
