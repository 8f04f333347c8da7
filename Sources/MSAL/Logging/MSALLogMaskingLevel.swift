// SPDX-License-Identifier: Apache-2.0

/// The kinds of data that are masked in log lines. This library masks all personal data at every level.
#if canImport(ObjectiveC)
    @objc(MSALLogMaskingLevel)
#endif
public enum MSALLogMaskingLevel: Int, Sendable {
    /// Masks all personal data.
    #if canImport(ObjectiveC)
        @objc(MSALLogMaskingSettingsMaskAllPII)
    #endif
    case settingsMaskAllPII = 0
    /// Masks data that identifies a person; the same as ``settingsMaskAllPII`` here.
    #if canImport(ObjectiveC)
        @objc(MSALLogMaskingSettingsMaskEUIIOnly)
    #endif
    case settingsMaskEUIIOnly = 1
    /// Masks secrets; the same as ``settingsMaskAllPII`` here.
    #if canImport(ObjectiveC)
        @objc(MSALLogMaskingSettingsMaskSecretsOnly)
    #endif
    case settingsMaskSecretsOnly = 2
}
