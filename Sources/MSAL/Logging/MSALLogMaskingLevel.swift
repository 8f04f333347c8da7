// SPDX-License-Identifier: Apache-2.0

/// What the log hides; this library hides everything personal at every level.
#if canImport(ObjectiveC)
    @objc(MSALLogMaskingLevel)
#endif
public enum MSALLogMaskingLevel: Int, Sendable {
    /// Hide everything personal.
    #if canImport(ObjectiveC)
        @objc(MSALLogMaskingSettingsMaskAllPII)
    #endif
    case settingsMaskAllPII = 0
    /// Hide what identifies a person; no different here.
    #if canImport(ObjectiveC)
        @objc(MSALLogMaskingSettingsMaskEUIIOnly)
    #endif
    case settingsMaskEUIIOnly = 1
    /// Hide secrets; no different here.
    #if canImport(ObjectiveC)
        @objc(MSALLogMaskingSettingsMaskSecretsOnly)
    #endif
    case settingsMaskSecretsOnly = 2
}
