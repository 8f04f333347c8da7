// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Encodings
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
        Hexadecimal.text(SHA256.hash(data: bytes).prefix(8))
    }

    /// Returns a response that the browser may cache permanently.
    static func response(_ bytes: [UInt8], mediaType: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: mediaType, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Adds the routes of all files.
    static func addRoutes(to router: Router<IdentityContext>) {
        for asset in [stylesheet, keyboard, submit] {
            router.get(RouterPath(asset.path)) { _, _ in response(asset.bytes, mediaType: asset.mediaType) }
        }
        router.get("/favicon.ico") { _, _ in Response(status: .noContent) }
    }
}

/// The organisations' logos and colours, under addresses that change with them.
struct BrandingAssets: Sendable {
    let database: any Database
    let directory: DirectoryCache

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/{tenant}/branding/{version}/colour.css") { _, context in
            guard let colour = try await named(in: context)?.branding.colour else { throw HTTPError(.notFound) }
            return PageAsset.response(
                Array(":root { --accent: \(colour); }\n".utf8), mediaType: "text/css; charset=utf-8")
        }
        router.get("/{tenant}/branding/{version}/logo") { _, context in
            guard let tenant = try await named(in: context)?.tenant,
                let logo = try await database.read({ try Brandings($0).logo(of: tenant.id) })
            else { throw HTTPError(.notFound) }
            return PageAsset.response(logo.bytes, mediaType: logo.mediaType)
        }
    }

    /// Returns the branding that the address names; nil if that branding has since been replaced or removed.
    private func named(in context: IdentityContext) async throws -> (tenant: Tenant, branding: Branding)? {
        let version = try context.parameters.require("version")
        guard let tenant = try await directory.tenant(in: context),
            let branding = try await database.read({ try Brandings($0).find(tenant.id) }),
            branding.version == version
        else { return nil }
        return (tenant, branding)
    }
}
