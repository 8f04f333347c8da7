// SPDX-License-Identifier: Apache-2.0

/// A part of a profile that a device would refuse or misunderstand, or that an administrator should know about.
package struct ProfileFinding: Hashable, Sendable, CustomStringConvertible {
    /// Stable codes, one per rule.
    package enum Code: String, Sendable, CaseIterable {
        case unreadable = "profile_unreadable"
        case malformed = "profile_malformed"
        case duplicatePayloadIdentifier = "payload_identifier_duplicate"
        case duplicatePayloadUUID = "payload_uuid_duplicate"
        case unknownPayloadType = "payload_type_unknown"
        case foreignPayloadType = "payload_type_foreign"
        case unknownKey = "payload_key_unknown"
        case ssoOutsideMDM = "sso_must_come_from_mdm"
        case ssoType = "sso_type_invalid"
        case ssoURLsMissing = "sso_urls_missing"
        case ssoURLMalformed = "sso_url_malformed"
        case ssoURLScheme = "sso_url_scheme"
        case ssoURLQueryOrFragment = "sso_url_query_or_fragment"
        case ssoURLDuplicate = "sso_url_duplicate"
        case ssoHostsMissing = "sso_hosts_missing"
        case ssoSharedModeType = "sso_shared_mode_type"
        case ssoSharedModeSpelling = "sso_shared_mode_spelling"
        case ssoExtensionMalformed = "sso_extension_malformed"
        case ssoExtensionSpelling = "sso_extension_spelling"
        case ssoTeamIdentifier = "sso_team_identifier_ignored"
        case ssoScreenLocked = "sso_screen_locked_invalid"
        case ssoKeySpelling = "sso_key_spelling"
        case ssoFlagType = "sso_flag_type"
        case ssoListType = "sso_list_type"
        case browserOutsideMDM = "browser_must_come_from_mdm"
        case browserTwice = "browser_payload_twice"
        case browserKey = "browser_key_unknown"
        case browserAddress = "browser_address_invalid"
        case browserPattern = "browser_pattern_invalid"
        case browserPatternConflict = "browser_pattern_conflict"
        case browserList = "browser_list_too_long"
        case browserCertificate = "browser_certificate_invalid"
        case homeScreenOutsideMDM = "homescreen_must_come_from_mdm"
        case homeScreenTwice = "homescreen_payload_twice"
        case homeScreenKey = "homescreen_key_unknown"
        case homeScreenText = "homescreen_text_invalid"
        case homeScreenImage = "homescreen_image_invalid"
        case homeScreenColour = "homescreen_colour_unreadable"
        case homeScreenDomain = "homescreen_domain_invalid"
        case homeScreenTile = "homescreen_tile_invalid"
        case homeScreenSize = "homescreen_too_large"
        case enrollmentMissing = "mdm_payload_missing"
        case enrollmentTwice = "mdm_payload_twice"
        case enrollmentPushed = "mdm_payload_pushed"
        case enrollmentIdentity = "mdm_identity_missing"
        case enrollmentTopic = "mdm_topic_invalid"
        case enrollmentURL = "mdm_url_not_https"
        case enrollmentRights = "mdm_access_rights_invalid"
        case enrollmentImmutable = "mdm_immutable_changed"
        case enrollmentRightsGrew = "mdm_access_rights_grew"
    }

    /// Whether the profile must be refused.
    package enum Severity: String, Sendable {
        case warning, error
    }

    package let code: Code
    package let severity: Severity
    /// The payload's identifier, if the finding is about one payload.
    package let payload: String?
    /// The problem, for the administrator, without a full stop.
    package let message: String
    /// The remedy, as sentences.
    package let remedy: String

    init(_ code: Code, severity: Severity, payload: String?, message: String, remedy: String) {
        self.code = code
        self.severity = severity
        self.payload = payload
        self.message = message
        self.remedy = remedy
    }

    package var description: String {
        "\(severity.rawValue) \(code.rawValue)\(payload.map { " in \($0)" } ?? ""): \(message). \(remedy)"
    }
}
