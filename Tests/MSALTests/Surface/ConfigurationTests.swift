// SPDX-License-Identifier: Apache-2.0
import Foundation
import MSAL
import Testing

/// The configuration of an application, and the library's version.
struct ConfigurationTests {
    private let redirectUri = "msauth.org.example.worker://auth"

    @Test func `INIT-10 a configuration starts with Microsoft's defaults`() {
        let configuration = MSALPublicClientApplicationConfig(clientId: "client-1")
        #expect(configuration.clientId == "client-1")
        #expect(configuration.redirectUri == nil)
        #expect(configuration.authority.url.absoluteString == "https://login.microsoftonline.com/common")
        #expect(configuration.knownAuthorities.isEmpty)
        #expect(configuration.clientApplicationCapabilities == nil)
        #expect(configuration.tokenExpirationBuffer == 300)
        #expect(!configuration.bypassRedirectURIValidation)
        #expect(configuration.cacheConfig.keychainSharingGroup == MSALCacheConfig.defaultKeychainSharingGroup())
        #expect(MSALCacheConfig.defaultKeychainSharingGroup() == "com.microsoft.adalcache")
    }

    @Test func `INIT-2 INIT-3 a client id alone leaves the redirect URI missing`() async throws {
        let error = try await seen { try MSALPublicClientApplication(clientId: "client-1") }
        #expect(error.asInternal == .internalErrorInvalidRedirectURI)
    }

    @Test func `INIT-7 a copy of a configuration has every setting and is independent`() throws {
        let configuration = MSALPublicClientApplicationConfig(
            clientId: "client-1", redirectUri: redirectUri, authority: nil)
        let authority = try MSALAADAuthority(url: #require(URL(string: "https://login.baton.test/tenant")))
        configuration.authority = authority
        configuration.knownAuthorities = [authority]
        configuration.clientApplicationCapabilities = ["CP1"]
        configuration.tokenExpirationBuffer = 60
        configuration.bypassRedirectURIValidation = true
        configuration.cacheConfig.keychainSharingGroup = "group"
        let copy = try #require(configuration.copy() as? MSALPublicClientApplicationConfig)
        configuration.clientId = "client-2"
        configuration.knownAuthorities = []
        configuration.cacheConfig.keychainSharingGroup = "other"
        #expect(copy.clientId == "client-1")
        #expect(copy.redirectUri == redirectUri)
        #expect(copy.authority == authority)
        #expect(copy.knownAuthorities == [authority])
        #expect(copy.clientApplicationCapabilities == ["CP1"])
        #expect(copy.tokenExpirationBuffer == 60)
        #expect(copy.bypassRedirectURIValidation)
        #expect(copy.cacheConfig.keychainSharingGroup == "group")
    }

    @Test func `INIT-7 an application returns a copy of its configuration, never the caller's object`() throws {
        let given = MSALPublicClientApplicationConfig(clientId: "client-1", redirectUri: redirectUri, authority: nil)
        given.tokenExpirationBuffer = 60
        let application = try MSALPublicClientApplication(configuration: given)
        given.clientId = "client-2"
        #expect(application.configuration.clientId == "client-1")
        #expect(application.configuration.tokenExpirationBuffer == 60)
        application.configuration.clientId = "client-3"
        #expect(application.configuration.clientId == "client-1")
    }

    @Test func `the library reports its version`() throws {
        #expect(try #require(MSALPublicClientApplication.sdkVersion).split(separator: ".").count == 3)
    }
}
