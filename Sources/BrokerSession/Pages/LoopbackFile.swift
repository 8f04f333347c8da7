// SPDX-License-Identifier: Apache-2.0
internal import WebPages

/// A file that the broker's pages load. The server that serves a page also serves this file, to the same browser.
enum LoopbackFile: String, CaseIterable {
    case stylesheet = "/form.css"
    case keyboard = "/keyboard.js"

    var bytes: [UInt8] { self == .stylesheet ? PageFiles.stylesheet : PageFiles.keyboard }
    var mediaType: String { self == .stylesheet ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8" }

    /// The files that a page without fields loads.
    static let addresses = FormPage.Addresses(stylesheets: [stylesheet.rawValue])
    /// The files that a page with fields loads; they include the on-screen keyboard.
    static let addressesOfForm = FormPage.Addresses(stylesheets: [stylesheet.rawValue], scripts: [keyboard.rawValue])

    /// The policy of every page: only these files are loaded, and no inline script or style is applied (Content
    /// Security Policy Level 3).
    static let policy = [
        "default-src 'none'", "style-src 'self'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'",
        "base-uri 'none'",
    ].joined(separator: "; ")
}
