// SPDX-License-Identifier: Apache-2.0

/// The content of the device's state folder.
extension Leftover {
    private static let walk = Test(
        "LeftoverTests", "after a sign-out the state folder holds what the page lists, and nothing of the worker")

    /// Returns an entry for files that stay in the state folder after a sign-out.
    ///
    /// - Parameter until: when the file is removed; empty if the file stays permanently.
    private static func file(_ name: String, _ patterns: [String], holds: String, until: String = "") -> Leftover {
        Leftover(
            name, patterns.map(Place.state), fate: .kept, holds: holds, eraser: until, observer: .broker, test: walk)
    }

    package static let state = [
        file("state_format", ["format"], holds: "none: the version of the file format"),
        file(
            "journal", ["journal"], holds: "none: random epochs and the trigger", until: "replaced at each step"),
        file(
            "join", ["join.json", "join-confirmed.json"], holds: "none: the device's registration",
            until: "the device joins again; the second file only until the first is written"),
        file(
            "registration_status", ["registration-status.json"],
            holds: "none: what the directory last reported about the device, and when",
            until: "the directory's next report, or the end of the join"),
        file(
            "departure", ["departure.json"], holds: "none: an order to leave or to reset",
            until: "the order has been carried out"),
        file("machine_binding", ["machine-binding"], holds: "none: a keyed hash of the machine id (`/etc/machine-id`)"),
        file(
            "tombstones", ["tombstones.json"],
            holds:
                "for each client id that asked for the current account or got a token, except the home screen's: the worker's "
                + "home account id, which is not a name",
            until:
                "the client acknowledges it; at most 24 h by the device's clock, even if the clock is set forward or "
                + "back"),
        file(
            "app_locks", ["app-locks.json"],
            holds: "for each app that has not erased its data: its bundle id and the epoch that it must still erase",
            until: "the app's eraser succeeds, the agent takes the data away, or an operator unlocks the app"),
        file(
            "app_lock_reasons", ["app-lock-reasons.json"],
            holds:
                "for each locked app whose data the agent could not take away: its bundle id and a code for the reason",
            until: "the app is unlocked"),
        file(
            "app_processes", ["app-processes.json"],
            holds:
                "for each app with folders of data or an eraser: its bundle id, the folders, the eraser's name, the "
                + "session's random id, and the number and start time of each process that made a request or registered "
                + "the eraser, with its answer",
            until:
                "the device is ready, and the app is not locked; a record that could not be read, until the machine starts"
        ),
        file(
            "ended_sessions", ["ended-sessions.json"],
            holds: "the server's id of an ended session, and a random id of the sign-out",
            until: "the server knows that the session has ended"),
        file(
            "device_keys", ["keys/*"],
            holds:
                "none: the device's own keys (`device.pem`, `transport.pem`, `receipt.pem`, `sealing.key`; with a TPM "
                + "`device.tpm`, `transport.tpm`, `receipt.tpm`, `sealing.tpm`, `epoch.count`)"),
        file("tpm_lock", ["tpm.lock"], holds: "none: an empty file, if the TPM has no resource manager"),
        file(
            "receipt_chain", ["receipts/chain-*.jsonl"],
            holds:
                "the pseudonym of each session, which only the tenant can resolve; when the session began and ended, "
                + "and why",
            until:
                "`retention.receiptDays` ([400 days](../receipts.md#files)), or there are more than 64 files of 256 "
                + "KiB: then the oldest is deleted"),
        file(
            "receipt_records", ["receipts/end.json", "receipts/keys.jsonl", "receipts/anchors.jsonl"],
            holds: "none: hashes, numbers, keys"),
        file(
            "receipts_damaged", ["receipts/damaged-*"], holds: "what a damaged chain contained",
            until: "somebody examines and removes it"),
        file(
            "management", ["management/*"], holds: "none: what the MDM sent", until: "the device leaves the MDM"),
        file(
            "quarantine", ["quarantine/*"], holds: "what the files above contained when they were moved aside",
            until: "the next `baton device recover`, or somebody removes it"),
        file(
            "offline_leases", ["offline/*"],
            holds:
                "encrypted, and only if the organisation allows [offline sign-in](../offline.md): names, and "
                + "verifiers of the password and of the PIN, if one is set",
            until: "the lease ends (after 12 h by default) or is withdrawn"),
        file("state_folders", ["session", "trash"], holds: "none: empty folders"),
    ]

    /// Files that exist only while a worker is signed in.
    static let session = [
        Leftover(
            "session_files", [.state("session/*")], fate: .cleared,
            holds: "`session/worker.sealed`: the session, encrypted with a key that is never written to a disk",
            eraser: "the broker moves the folder into `trash` at the sign-out and checks that its place is empty",
            observer: .broker, item: "files", test: walk),
        Leftover(
            "session_records",
            ["live-session.json", "browser-holder.json", "session-timer.json", "receipts/draft.json"].map(
                Place.state),
            fate: .cleared,
            holds:
                "the server's id of the session; the id of the Unix user whose agent runs the browser; the epoch, when "
                + "the worker signed in and when they last did something; the pseudonym",
            eraser: "the broker, at the sign-out", observer: .broker, test: walk),
        Leftover(
            "session_trash", [.state("trash/*")], fate: .cleared, holds: "what a sign-out moved there",
            eraser: "the broker, right after the sign-out; if that fails, each minute", observer: .broker,
            test: walk
        ),
    ]
}
