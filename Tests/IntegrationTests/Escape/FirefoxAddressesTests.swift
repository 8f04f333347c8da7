// SPDX-License-Identifier: Apache-2.0
import BrowserPolicies
import Foundation
import TestSupport
import Testing

/// What a real Firefox shows when it runs Baton's script for Firefox's own pages (Tests/Person/firefox_addresses.py).
@Suite(.timeLimit(.minutes(5))) struct FirefoxAddressesTests {
    /// Addresses that Firefox must not show. FOLDER contains the folder `open`, whose files it may show, and a folder
    /// and a file beside `open`.
    private static let refused = [
        "file://FOLDER/", "file://FOLDER/secret.html", "file://FOLDER/open-beside/secret.html",
        "file://FOLDER/open/..%2fsecret.html", "file://FOLDER/open/..%2F..%2f..%2f..%2f..%2fetc/passwd",
        "file://FOLDER/open/%2e%2e%2fsecret.html", "file://FOLDER/open/.%2e/secret.html",
        "file://FOLDER/open/deeper/..%2f..%2fsecret.html", "file://FOLDER/open/link.html",
        "file://FOLDER/open//..%2f/secret.html", "file://localhostFOLDER/open/..%2fsecret.html", "file:///etc/passwd",
        "jar:file://FOLDER/archive.zip!/secret.html", "jar:file://FOLDER/open/archive.zip!/secret.html",
        "jar:file://FOLDER/open/..%2farchive.zip!/secret.html",
        "jar:file:///usr/lib/firefox-esr/omni.ja!/greprefs.js", "jar:resource://gre/omni.ja!/greprefs.js",
        "view-source:file://FOLDER/open/page.html", "view-source:file://FOLDER/open/..%2fsecret.html",
        "view-source:SITE/", "view-source:jar:file:///usr/lib/firefox-esr/omni.ja!/greprefs.js",
        "about:config", "about:support", "chrome://global/content/config.xhtml", "resource://gre/greprefs.js",
        "resource://pdf.js/..%2f..%2fgreprefs.js", "moz-icon://file.pdf", "ftp://127.0.0.1/",
    ]
    private static let shown = [
        "file://FOLDER/open/page.html", "file://FOLDER/open/", "file://FOLDER/open/deeper/../page.html",
        "file://FOLDER/open/deeper/..%2fpage.html", "file://FOLDER/open/na%20me%C3%A9.html", "about:downloads",
        "data:text/html,<title>data</title>", "resource://pdf.js/web/viewer.html",
    ]

    @Test func `Firefox shows the files of the open folders only, however their addresses are written, and the web`()
        async throws
    {
        try await Scratch.with { scratch in
            let frames = "file://FOLDER/open/frames.html"
            let shown = try await Self.documents(Self.refused + Self.shown + ["SITE/", frames], scratch)
            func isShown(_ address: String) throws -> Bool {
                let document = try #require(shown[address]?.first)
                return document != "about:blank" && !document.hasPrefix("about:neterror?")
            }
            for address in Self.refused { #expect(try !isShown(address), "\(address)") }
            for address in Self.shown { #expect(try isShown(address), "\(address)") }
            #expect(shown["SITE/"] == ["SITE/", "blob data javascript srcdoc ws"])
            #expect(shown[frames]?.last == "page")
        }
    }

    /// The address and the title of the document that Firefox shows, by the address that it was asked to open.
    private static func documents(_ addresses: [String], _ scratch: Scratch) async throws -> [String: [String]] {
        let folder = ScriptedFirefox.folder(in: scratch)
        func page(_ title: String) -> String {
            "<!doctype html><title>\(title)</title><script>parent.postMessage('\(title)', '*')</script>"
        }
        let embedding = ["page.html", "../secret.html"].map { "<object data='\($0)'></object><embed src='\($0)'>" }
        let frames = """
            <!doctype html><title>none</title><script>
            const shown = new Set();
            onmessage = message => { shown.add(message.data); document.title = [...shown].sort().join(" "); };
            </script>\(embedding.joined())
            """
        let real = addresses.map { $0.replacing("FOLDER", with: folder) }
        let list = String(decoding: try JSONEncoder().encode(real), as: UTF8.self)
        try FileManager.default.createDirectory(atPath: folder + "/open", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/open/link.html", withDestinationPath: "../secret.html")
        let documents: [String: [String]] = try await ScriptedFirefox.result(
            of: "firefox_addresses.py",
            files: [
                "secret.html": page("secret"), "open-beside/secret.html": page("secret"),
                "open/page.html": page("page"), "open/na meé.html": page("page"),
                "open/deeper/page.html": page("page"), "open/frames.html": frames, "addresses.json": list,
            ], in: scratch)
        return Dictionary(uniqueKeysWithValues: zip(addresses, real.map { documents[$0] ?? [] }))
    }
}
