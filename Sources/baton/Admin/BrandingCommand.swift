// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import Foundation

/// Manages the logo and the colour of an organisation's sign-in page.
struct BrandingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "branding", abstract: "Show, set and remove the logo and the colour of the sign-in page.",
        subcommands: [Show.self, Set.self, Remove.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the current settings.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(IdentityAdmin.getBranding()) { branding in
                let size = branding.logo.flatMap { Data(base64Encoded: $0) }?.count
                return [
                    "colour  \(branding.colour ?? "the usual one")",
                    "logo    \(size.map { "an image of \($0) bytes" } ?? "none")",
                ]
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the logo, the colour, or both; an option that is not given changes nothing.")
        @Option(help: "A PNG or JPEG file of at most 256 KiB.") var logo: String?
        @Option(help: "The colour of buttons, #RRGGBB; white text on it must be readable.") var colour: String?
        @OptionGroup var admin: AdminOptions

        func validate() throws {
            if logo == nil, colour == nil { throw ValidationError("Give --logo, --colour, or both.") }
        }

        func run() async throws {
            try await admin.output.run(
                {
                    let image = try logo.map(Self.image)
                    let former = try await admin.call(IdentityAdmin.getBranding())
                    try await admin.call(
                        IdentityAdmin.setBranding(
                            body: IdentityAdmin.Branding(
                                colour: colour ?? former.colour, logo: image ?? former.logo)))
                }, done: "The sign-in page has the new look from now on.")
        }

        /// Returns the content of a file in Base64. The server checks the content.
        private static func image(_ path: String) throws -> String {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw CommandFailure(
                    code: "file_unreadable", message: "\(path) cannot be read.",
                    remedy: "Name a PNG or JPEG file that exists.")
            }
            return data.base64EncodedString()
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Restore the default look, without a logo.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                IdentityAdmin.setBranding(body: IdentityAdmin.Branding(colour: nil, logo: nil)),
                done: "The sign-in page has the default look from now on.")
        }
    }
}
