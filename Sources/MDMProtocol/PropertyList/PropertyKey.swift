// SPDX-License-Identifier: Apache-2.0

/// The names in Apple's device management protocol that Baton uses. Each is defined only here.
package enum PropertyKey: String, Sendable {
    // Common to all payloads.
    case payloadContent = "PayloadContent"
    case payloadDescription = "PayloadDescription"
    case payloadDisplayName = "PayloadDisplayName"
    case payloadIdentifier = "PayloadIdentifier"
    case payloadOrganization = "PayloadOrganization"
    case payloadRemovalDisallowed = "PayloadRemovalDisallowed"
    case payloadType = "PayloadType"
    case payloadUUID = "PayloadUUID"
    case payloadVersion = "PayloadVersion"
    // com.apple.mdm
    case accessRights = "AccessRights"
    case checkInURL = "CheckInURL"
    case checkOutWhenRemoved = "CheckOutWhenRemoved"
    case identityCertificateUUID = "IdentityCertificateUUID"
    case serverURL = "ServerURL"
    case signMessage = "SignMessage"
    case topic = "Topic"
    // Certificates and identities.
    case password = "Password"
    case payloadCertificateFileName = "PayloadCertificateFileName"
    // com.apple.extensiblesso
    case deniedBundleIdentifiers = "DeniedBundleIdentifiers"
    case extensionData = "ExtensionData"
    case extensionIdentifier = "ExtensionIdentifier"
    case hosts = "Hosts"
    case realm = "Realm"
    case screenLockedBehavior = "ScreenLockedBehavior"
    case teamIdentifier = "TeamIdentifier"
    case type = "Type"
    case urls = "URLs"
    /// The name of both switches of shared device mode. One switch is in ``extensionData``, the other is in the
    /// broker's app configuration.
    case sharedDeviceMode = "sharedDeviceMode"
    // In ``extensionData``: which apps may use single sign-on.
    case appAllowList = "AppAllowList"
    case appBlockList = "AppBlockList"
    case appPrefixAllowList = "AppPrefixAllowList"
    case enableSSOOnAllManagedApps = "Enable_SSO_On_All_ManagedApps"
    // In ``extensionData``: how the broker signs a browser in.
    case appCookieSSOAllowList = "AppCookieSSOAllowList"
    case disableExplicitAppPrompt = "disable_explicit_app_prompt"

    // org.baton.browser, Baton's own.
    case allowPrinting = "AllowPrinting"
    case allowedAddresses = "AllowedAddresses"
    case blockedAddresses = "BlockedAddresses"
    case signInAddresses = "SignInAddresses"
    case certificates = "Certificates"
    case homePage = "HomePage"
    case newTabPage = "NewTabPage"
    // org.baton.homescreen, Baton's own.
    case arguments = "Arguments"
    case colour = "Colour"
    case contact = "Contact"
    case icon = "Icon"
    case logo = "Logo"
    case organisation = "Organisation"
    case page = "Page"
    case preferredDomain = "PreferredDomain"
    case program = "Program"
    case tileBundleIdentifier = "BundleIdentifier"
    case tileTitle = "Title"
    case tiles = "Tiles"
    // Check-in.
    case awaitingConfiguration = "AwaitingConfiguration"
    case buildVersion = "BuildVersion"
    case deviceName = "DeviceName"
    case messageType = "MessageType"
    case model = "Model"
    case modelName = "ModelName"
    case osVersion = "OSVersion"
    case productName = "ProductName"
    case pushMagic = "PushMagic"
    case serialNumber = "SerialNumber"
    case token = "Token"
    case udid = "UDID"
    case unlockToken = "UnlockToken"
    case userID = "UserID"
    // Commands and results.
    case command = "Command"
    case commandUUID = "CommandUUID"
    case errorChain = "ErrorChain"
    case errorCode = "ErrorCode"
    case errorDomain = "ErrorDomain"
    case localizedDescription = "LocalizedDescription"
    case requestType = "RequestType"
    case status = "Status"
    case usEnglishDescription = "USEnglishDescription"
    // Individual commands.
    case changeManagementState = "ChangeManagementState"
    case configuration = "Configuration"
    case hasConfiguration = "HasConfiguration"
    case hasFeedback = "HasFeedback"
    case identifier = "Identifier"
    case identifiers = "Identifiers"
    case isManaged = "IsManaged"
    case isValidated = "IsValidated"
    case iTunesStoreID = "iTunesStoreID"
    case item = "Item"
    case managedApplicationList = "ManagedApplicationList"
    case managedOnly = "ManagedOnly"
    case managementFlags = "ManagementFlags"
    case manifestURL = "ManifestURL"
    case payload = "Payload"
    case profileList = "ProfileList"
    case queries = "Queries"
    case queryResponses = "QueryResponses"
    case rejectionReason = "RejectionReason"
    case settings = "Settings"
    case state = "State"
    // App manifests.
    case assets
    case bundleIdentifier = "bundle-identifier"
    case bundleVersion = "bundle-version"
    case items
    case kind
    case metadata
    case sha256Size = "sha256-size"
    case sha256s
    case title
    case url
    // Refusals.
    case code
    case explanation = "description"
    // A managed app's configuration; these keys are Baton's own.
    case clientID = "clientId"
    case dataFolders
    case redirectURI = "redirectUri"
    case identityLevel
    case identityUser
    /// In the broker's app configuration: when a session ends automatically.
    case sessionPolicy
}

extension PropertyList {
    /// Returns a dictionary of the members that are not nil.
    package static func record(_ members: KeyValuePairs<PropertyKey, PropertyList?>) -> PropertyList {
        .dictionary(members.reduce(into: [:]) { result, member in result[member.key.rawValue] = member.value })
    }
}
