// SPDX-License-Identifier: Apache-2.0
internal import BrowserExtension

/// The leftovers of a session's programs outside the device's state.
extension Leftover {
    private static let closing = Test(
        "BrowserAgentTests", "closing ends every process, also those that escaped, and removes every folder")
    private static let person = Test(
        "PersonTests", "a person signs in with real keys on a real page, and nothing of the browser outlives its epoch")
    private static let environment = Test(
        "AgentRemovalTests", "a browser gets no path of the session outside its profile")
    private static let neighbours = Test(
        "HostileNeighbourTests", "no other process gets hold of a worker's sign-in, session or sign-out")

    /// The files of the browser's extension. Each file is named, because other files in that folder do not belong to
    /// the extension.
    private static let extensionFiles = BrowserExtensionPackage.File.allCases.map {
        Place.profiles("extension/" + $0.rawValue)
    }

    /// Returns an entry for files that the worker's browser writes below its own home folder, which is part of its
    /// profile.
    private static func browser(_ name: String, _ patterns: [String], holds: String) -> Leftover {
        Leftover(
            name, patterns.map(Place.profiles), fate: .cleared, holds: holds,
            eraser: "removed with the browser's profile",
            observer: .broker, item: "browser", test: environment)
    }

    /// The leftovers that Baton clears, or has an app clear.
    static let programs = [
        Leftover(
            "session_key", [.elsewhere("memory of `batond` and of its session process")], fate: .cleared,
            holds: "the key with which the session's files are encrypted",
            eraser: "the broker overwrites it when the sign-out is committed", observer: .broker, item: "session_key",
            test: Test(
                "MemoryTests", "the session's secrets are in its process alone, and in no process after the sign-out")
        ),
        Leftover(
            "session_process", [.elsewhere("memory of the session process")], fate: .cleared,
            holds: "primary refresh token, tokens, names",
            eraser:
                "the broker kills the process when the sign-out is committed; the kernel does so if the broker dies",
            observer: .broker, item: "session_process",
            test: Test(
                "MemoryTests", "the session's secrets are in its process alone, and in no process after the sign-out")
        ),
        Leftover(
            "sign_in_port", [.elsewhere("a loopback port of the session process")], fate: .cleared,
            holds: "the address of the page for one sign-in",
            eraser: "closed with the sign-in, at the latest with the session process", observer: .broker,
            item: "session_process", test: neighbours),
        Leftover(
            "browser_processes", [.object(.browserProcess)], fate: .cleared,
            holds: "the browser's memory",
            eraser: "the agent kills every descendant at the sign-out, at its own end and at its next start",
            observer: .broker, item: "browser", test: person),
        browser(
            "browser_crash_reports",
            [
                "*/browser/Crash Reports/*", "*/home/.config/chromium/Crash Reports/*",
                "*/home/.config/mozilla/firefox-esr/Crash Reports/*",
            ], holds: "parts of the memory of a browser that crashed"),
        browser(
            "browser_caches",
            ["*/home/.cache/mesa_shader_cache/*", "*/home/.cache/fontconfig/*", "*/home/.cache/dconf/*"],
            holds: "shaders of pages, and the fonts that were used"),
        browser("browser_certificates", ["*/home/.local/share/pki/*"], holds: "certificates that the worker accepted"),
        browser("browser_downloads", ["*/home/Downloads/*"], holds: "downloaded files"),
        Leftover(
            "browser_extension", [.profiles("extension")] + extensionFiles, fate: .kept,
            holds: "none: the packed extension of the browser, which the agent packs anew when it is started",
            eraser: "",
            test: Test(
                "AuditCommandTests", "a file beside those of the browser's extension, or a changed one, is found"),
            isFixed: true),
        Leftover(
            "browser_profile", [.profiles("*"), .path("/run/baton-helper/sessions/*")], fate: .cleared,
            holds: "cookies, cache, history, forms, service workers, settings, thumbnails of pages",
            eraser:
                "the agent moves it into its `trash`, checks that its place is empty, and removes it: at the sign-out, "
                + "at its own end and at its next start. With `baton-helper` the folder is in memory, and the helper unmounts "
                + "it. What a confined browser writes is in the memory of its sandbox, and vanishes with its last process",
            observer: .broker, item: "browser", test: closing),
        Leftover(
            "browser_temporary", [.path("/tmp/baton-*")], fate: .cleared,
            holds: "temporary files and sockets of the browser", eraser: "the agent, together with the profile",
            observer: .broker, item: "browser", test: closing),
        Leftover(
            "app_data", [.elsewhere("where the app keeps it")], fate: .cleared,
            holds: "the worker's data that the app keeps",
            eraser: "the app's own eraser, at the sign-out; if it fails, the agent takes away the folders in the app's "
                + "registration; an app whose data is still there is locked",
            observer: .app, item: itemOfApps,
            test: Test("HandoverTests", "an app that has not erased is locked for the next worker, and no other app is")
        ),
        Leftover(
            "app_trash", [.home(".local/state/baton/trash/taken-*")], fate: .cleared,
            holds: "what the agent took from an app that had not erased it; every program of the user can read it",
            eraser: "the agent removes it after the device is ready, and at its next start", observer: .agent,
            item: itemOfApps,
            test: Test(
                "AppDataTrashTests",
                "what an agent that was killed had not removed is removed when the next one starts")
        ),
        Leftover(
            "own_processes", [.object(.ownProcess)], fate: .kept,
            holds:
                "none, except the account's id in `batond` and in the session process that waits, as long as it is in "
                + "`tombstones.json`; and the number of the ended session at the server (`sid`), which identifies nobody, in "
                + "`batond` and in the session process. The session process ends; `baton-agent` and `baton home` start anew in "
                + "their processes, a stopped `baton home` as soon as it runs again; `baton home --bar`, and with it `swaybar` in "
                + "the kiosk, end; `baton-browser-host` ends with its browser",
            eraser: "",
            test: Test(
                "ProgramMemoryTests", "no program of Baton holds anything of a worker after the hand-over")),
        Leftover(
            "kiosk_programs", [.elsewhere("memory of the scripts of `baton-kiosk`, of `swaybar` and of `swaymsg`")],
            fate: .kept,
            holds:
                "none: `swaybar` ends at each hand-over; the process that gets a window's title ends with the event, and "
                + "the script that started it does not read the title",
            eraser: "",
            test: Test(
                "KioskTests", "after a hand-over no program of the session holds a worker's name or a window's title")),
        Leftover(
            "program_logs", [.elsewhere("the systemd journal, or the standard error of the programs")], fate: .kept,
            holds: "none: numbers, codes and fixed sentences of Baton's programs; no name, address or token",
            eraser: "the log is rotated",
            test: Test("FaultMatrixTests", "a sign-out that a crash cuts off is finished, and the next worker signs in")
        ),
    ]
}
