// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// Refusals of applications that ask for a token of their own.
extension OAuthError {
    package static let secretForApplication = OAuthError(
        .invalidClient, number: 5_000_641,
        description: "A secret is not accepted for this grant, because it could be read where it is stored or sent. "
            + "Sign a client_assertion with a registered key instead.")
    package static let missingAssertion = OAuthError(
        .invalidClient, number: 7_000_218, description: "The client must authenticate with a client_assertion.")
    package static let malformedAssertion = OAuthError(
        .invalidClient, number: 50027,
        description: "The client_assertion is not a signed token with iss, sub, exp, jti and one aud, or its "
            + "client_assertion_type is not jwt-bearer.")
    package static let assertionOfOther = OAuthError(
        .invalidClient, number: 700021,
        description: "The iss and sub of the client_assertion must both be the client's id.")
    package static let assertionAudience = OAuthError(
        .invalidClient, number: 700023,
        description: "The aud of the client_assertion is neither this token endpoint nor the issuer of this tenant.")
    package static let assertionTime = OAuthError(
        .invalidClient, number: 700024,
        description: "The client_assertion has expired, is not valid yet, or is valid for more than ten minutes.")
    package static let assertionSignature = OAuthError(
        .invalidClient, number: assertionSignatureNumber,
        description: "No valid key of the client has signed the client_assertion. Register the key, or sign with "
            + "RS256, PS256 or ES256.")
    package static let replayedAssertion = OAuthError(
        .invalidClient, number: 5_000_642,
        description: "The client_assertion was used before. Sign a new one with a new jti.")
    package static let tooManyAssertions = OAuthError(
        .temporarilyUnavailable, number: 5_000_643,
        description: "The client has sent too many assertions. Keep each token until it expires, then try again later.")
    package static let assertionElsewhere = OAuthError(
        .invalidClient, number: 5_000_644,
        description: "A client_assertion is accepted only with grant_type client_credentials. Use the client_secret.")
    package static let noApplicationPermission = OAuthError(
        .unauthorizedClient, number: noApplicationPermissionNumber,
        description: "The application has no permission of its own. A Global Administrator must grant it one.")
    package static let personRequired = OAuthError(
        .invalidResource, number: 5_000_646,
        description: "The resource accepts only tokens that were issued for a person.")
    package static let applicationScope = OAuthError(
        .invalidScope, number: 1_002_012, description: "The scope must be one resource, followed by /.default.")
}
