// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// Refusals that name the scopes that the client requested.
extension OAuthError {
    /// The resource knows none of these scopes.
    package static func unknownScopes(_ scopes: [String]) -> OAuthError { unknownScope.naming(scopes) }

    /// The application is registered for none of these permissions.
    static func noConsent(to scopes: [String]) -> OAuthError { noConsent.naming(scopes) }

    private func naming(_ scopes: [String]) -> OAuthError {
        let names = scopes.prefix(5).map(Self.shown).joined(separator: ", ")
        return OAuthError(
            code, number: number, description: "\(description) Asked for: \(names).", suberror: suberror, detail: detail
        )
    }

    /// A scope as it is shown: at most 100 characters. Each character that never occurs in the name of a permission is
    /// replaced.
    private static func shown(_ scope: String) -> String {
        String(
            scope.prefix(100).map { character in
                character.isASCII && (character.isLetter || character.isNumber || "._-:/".contains(character))
                    ? character : "?"
            })
    }
}
