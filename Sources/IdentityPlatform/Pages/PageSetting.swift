// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Storage
internal import WebPages

/// The language of a page, and the organisation to which it belongs.
struct PageSetting: Sendable {
    let language: Language
    /// Nil for a page that belongs to no organisation.
    let tenant: Tenant?
    let branding: Branding?
}

extension Pages {
    /// Returns the setting of a page.
    ///
    /// - Parameters:
    ///   - parameters: the parameters of the authorisation request, whose `ui_locales` takes precedence over the
    ///     browser's languages.
    ///   - tenant: the organisation to which the page belongs; nil if none is known.
    /// - Throws: ``StorageError``
    func setting(
        _ request: Request, parameters: FormParameters? = nil, tenant: Tenant? = nil
    ) async throws -> PageSetting {
        let branding = try await tenant.map { tenant in
            try await database.read { try Brandings($0).find(tenant.id) }
        }
        return PageSetting(
            language: Self.language(of: request, parameters: parameters), tenant: tenant, branding: branding ?? nil)
    }

    /// Returns the setting of a page that belongs to no organisation.
    static func setting(_ request: Request) -> PageSetting {
        PageSetting(
            language: language(of: request, parameters: try? request.queryParameters()), tenant: nil, branding: nil)
    }

    private static func language(of request: Request, parameters: FormParameters?) -> Language {
        parameters?[ParameterName.uiLocales].flatMap(Language.preferred)
            ?? request.headers[.acceptLanguage].flatMap(Language.preferred) ?? .english
    }
}

extension Optional where Wrapped: Sendable {
    fileprivate func map<Value>(_ transform: (Wrapped) async throws -> Value) async throws -> Value? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
