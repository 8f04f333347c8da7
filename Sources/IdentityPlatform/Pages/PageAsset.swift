// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Storage
internal import WebPages

/// A file that the platform's pages load. Its address contains a hash of its content, so that browsers may cache it
/// permanently.
struct PageAsset: Sendable {
    let path: String
    private let bytes: [UInt8]
    private let mediaType: String

    private init(_ name: String, ending: String, mediaType: String, bytes: [UInt8]) {
        path = "/assets/\(name)-\(Self.version(of: bytes)).\(ending)"
        (self.bytes, self.mediaType) = (bytes, mediaType)
    }

    static let stylesheet = PageAsset(
        "form", ending: "css", mediaType: "text/css; charset=utf-8", bytes: PageFiles.stylesheet)
    static let keyboard = PageAsset(
        "keyboard", ending: "js", mediaType: "text/javascript; charset=utf-8", bytes: PageFiles.keyboard)
    /// A script that submits a form without any input from the person.
    static let submit = PageAsset(
        "submit", ending: "js", mediaType: "text/javascript; charset=utf-8", bytes: PackageResources.submit_js)

    /// Returns a text that changes with the bytes: 16 hexadecimal digits.
    static func version(of bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Returns a response that the browser may cache permanently.
    static func response(_ bytes: [UInt8], mediaType: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: mediaType, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Adds the routes of all files, and of the organisations' logos and colours.
    static func addRoutes(to router: Router<IdentityContext>, _ platform: Platform) {
        for asset in [stylesheet, keyboard, submit] {
            router.get(RouterPath(asset.path)) { _, _ in response(asset.bytes, mediaType: asset.mediaType) }
        }
        router.get("/favicon.ico") { _, _ in Response(status: .noContent) }
        router.get("/{tenant}/branding/{version}/colour.css") { _, context in
            guard let colour = try await branding(context, platform)?.1.colour else { throw HTTPError(.notFound) }
            return response(Array(":root { --accent: \(colour); }\n".utf8), mediaType: "text/css; charset=utf-8")
        }
        router.get("/{tenant}/branding/{version}/logo") { _, context in
            guard let (tenant, _) = try await branding(context, platform),
                let logo = try await platform.database.read({ try Brandings($0).logo(of: tenant.id) })
            else { throw HTTPError(.notFound) }
            return response(logo.bytes, mediaType: logo.mediaType)
        }
    }

    /// Returns the branding that the address names; nil if that branding has since been replaced or removed.
    private static func branding(
        _ context: IdentityContext, _ platform: Platform
    ) async throws -> (Tenant, Branding)? {
        let version = try context.parameters.require("version")
        guard let tenant = try await platform.directoryCache.tenant(in: context),
            let branding = try await platform.database.read({ try Brandings($0).find(tenant.id) }),
            branding.version == version
        else { return nil }
        return (tenant, branding)
    }
}
