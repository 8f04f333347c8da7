// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// Two rules for a worker's browser that no policy of Firefox can express. One is an allow list of Firefox's own pages:
/// `WebsiteFilter` knows web addresses only, and other policies block single pages by name. The other is that no
/// address starts another program: policies can name single schemes only.
///
/// Firefox reads a script at its start (AutoConfig) and ends if the script fails. The script and the preferences that
/// name it are in `/etc/firefox`.
package enum FirefoxInternalPages {
    /// The file name of ``script(openFolders:)``.
    package static let scriptName = "baton.cfg"
    /// The path of ``preferences`` below `/etc/firefox`.
    package static let preferencesFolder = "defaults/pref"
    package static let preferencesName = "baton.js"

    /// The preferences that make Firefox read the script. The first line of such a file is skipped.
    package static let preferences = """
        // Baton
        pref("general.config.filename", "\(scriptName)");
        pref("general.config.obscure_value", 0);
        pref("general.config.sandbox_enabled", false);

        """

    /// The pages of Firefox that may open: an empty tab, the session's downloads, and what Firefox shows in place of a
    /// page.
    private static let open = [
        "about:blank", "about:srcdoc", "about:newtab", "about:home", "about:downloads", "about:print", "about:neterror",
        "about:certerror", "about:blocked", "about:tabcrashed", "about:httpsonlyerror", "about:framecrashed",
    ]

    /// The permissions that a worker cannot grant to any web page, as names of Firefox's preferences. A page that fills
    /// the screen could imitate the home screen or a sign-in page, and a page that records the screen would see what is
    /// typed into the PIN page.
    private static let deniedToPages = ["full-screen-api.enabled", "media.getdisplaymedia.enabled"]

    /// The schemes of pages that are neither Firefox's own nor files.
    private static let schemes = ["http", "https", "blob", "data", "javascript", "moz-extension"]

    /// Returns the script, which decides about each page before it loads (nsIContentPolicy).
    ///
    /// For an address with another scheme, such as `mailto:`, Firefox would let a person choose any program of the system,
    /// such as another browser, which follows no policy.
    ///
    /// A page opens only if its scheme is known. The schemes of addresses that contain another address, such as `jar:`
    /// and `view-source:`, are not known, so no address hides where it leads; `about:` addresses and the like are
    /// compared with lists.
    ///
    /// - Parameter openFolders: the folders whose files may be opened, as absolute paths without links or a slash at the
    ///   end. What counts is the path that Firefox opens, after links and `..` are resolved, not how its address is
    ///   written.
    package static func script(openFolders: [String]) -> String {
        """
        // Baton
        for (const name of Services.prefs.getChildList("network.protocol-handler.external")) lockPref(name, false);
        \(text(deniedToPages)).forEach(denied => lockPref(denied, false));
        const pages = \(text(open));
        const folders = \(text(openFolders.map { $0 + "/" }));
        const schemes = \(text(schemes));
        const { ACCEPT, REJECT_POLICY, TYPE_DOCUMENT, TYPE_SUBDOCUMENT, TYPE_OBJECT } = Ci.nsIContentPolicy;
        function isOpenFile(address) {
          try {
            const { file } = address.QueryInterface(Ci.nsIFileURL);
            file.normalize();
            return folders.some(folder => (file.path + "/").startsWith(folder));
          } catch {
            return false;
          }
        }
        function isOpen(address, isInTab) {
          if (address.schemeIs("about")) return pages.includes(address.spec.split(/[?#]/)[0]);
          if (address.schemeIs("file")) return isOpenFile(address);
          if (address.schemeIs("chrome")) return !isInTab;
          if (address.schemeIs("resource")) return !isInTab || address.spec.startsWith("resource://pdf.js/");
          return schemes.includes(address.scheme);
        }
        const policy = {
          shouldLoad(address, load) {
            const kinds = [TYPE_DOCUMENT, TYPE_SUBDOCUMENT, TYPE_OBJECT];
            if (!kinds.includes(load.externalContentPolicyType)) return ACCEPT;
            const isInTab = load.targetBrowsingContext?.isContent ?? true;
            return isOpen(address, isInTab) ? ACCEPT : REJECT_POLICY;
          },
          shouldProcess() { return ACCEPT; },
          QueryInterface: ChromeUtils.generateQI(["nsIContentPolicy"]),
        };
        const contract = "@baton.org/internal-pages;1";
        Components.manager.QueryInterface(Ci.nsIComponentRegistrar).registerFactory(
          Components.ID("{6d9b2a0e-6f0d-4f5c-9a3b-1c8f1d3f0a77}"), "Baton", contract,
          { createInstance: kind => policy.QueryInterface(kind) });
        Services.catMan.addCategoryEntry("content-policy", contract, contract, false, true);

        """
    }

    /// The lines of the script that end Firefox's first start. They end Firefox as soon as it has installed the
    /// extension and has finished the work that it puts off until after its start. An earlier end would leave
    /// half-written files. These lines follow ``script(openFolders:)``.
    package static let endOfFirstStart = """
        const { AddonManager } = ChromeUtils.importESModule("resource://gre/modules/AddonManager.sys.mjs");
        const start = new Promise(resolve => Services.obs.addObserver(resolve, "browser-idle-startup-tasks-finished"));
        AddonManager.addInstallListener({
          async onInstallEnded(install, addon) {
            await addon.startupPromise;
            await start;
            Services.startup.quit(Ci.nsIAppStartup.eForceQuit);
          },
        });

        """

    private static func text(_ list: [String]) -> String { JSONWriter.text(.array(list.map(JSONValue.string))) }
}
