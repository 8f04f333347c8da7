// SPDX-License-Identifier: Apache-2.0

/// The leftovers that Baton does not clear.
extension Leftover {
    private static func open(_ name: String, _ places: [Place], holds: String, helps: String) -> Leftover {
        Leftover(name, places, fate: .notCovered, holds: holds, eraser: helps)
    }

    /// Returns an entry for files below the home folder of a session user.
    private static func inHome(_ name: String, _ patterns: [String], holds: String, helps: String) -> Leftover {
        open(name, patterns.map(Place.home), holds: holds, helps: helps)
    }

    static let notCovered = [
        inHome(
            "keyring", [".local/share/keyrings*", ".local/share/kwalletd*"],
            holds: "passwords and tokens of the desktop's programs",
            helps: "a session without `gnome-keyring-daemon` and `kwalletd`; the worker's browser has neither"),
        inHome(
            "online_accounts", [".config/goa-1.0*", ".local/share/evolution*"],
            holds: "accounts of the desktop, with addresses and tokens",
            helps: "a session without `goa-daemon`"),
        inHome(
            "recent_files", [".local/share/recently-used.xbel*", ".local/share/RecentDocuments*"],
            holds: "the names of opened files, and when they were opened",
            helps: "`remember-recent-files=false` in `org.gnome.desktop.privacy`"),
        inHome(
            "thumbnails", [".cache/thumbnails*"], holds: "small pictures of files, also of deleted ones",
            helps: "`disable-all=true` in `org.gnome.desktop.thumbnailers`"),
        inHome(
            "notifications", [".local/share/gnome-shell/notifications*"], holds: "sender and text of notifications",
            helps: "notifications off for each app"),
        inHome(
            "shell_history",
            [".bash_history*", ".zsh_history*", ".python_history*", ".lesshst*", ".viminfo*", ".local/share/fish/*"],
            holds: "commands that were typed", helps: "no terminal in the session"),
        inHome(
            "desktop_trash", [".local/share/Trash*"], holds: "deleted files",
            helps: "apps that keep files in their own folder and erase it"),
        inHome(
            "desktop_certificates", [".local/share/pki*", ".pki*"], holds: "certificates that a worker accepted",
            helps: "no browser but Baton's"),
        inHome(
            "desktop_caches", [".cache/mesa_shader_cache*", ".cache/fontconfig*", ".cache/dconf*", ".config/dconf*"],
            holds: "shaders, fonts and settings of the programs that ran",
            helps: "`MESA_SHADER_CACHE_DISABLE=true` for the session; a home folder in memory"),
        inHome(
            "other_browsers",
            [".config/chromium*", ".cache/chromium*", ".mozilla*", ".config/mozilla*", ".cache/mozilla*"],
            holds: "cookies, history and crash reports of a browser that Baton did not open",
            helps: "no other browser in the session"),
        inHome(
            "search_indexes", [".cache/tracker*", ".local/share/tracker*", ".cache/tracker3*", ".local/share/baloo*"],
            holds: "words of indexed files", helps: "`tracker-miner-fs-3.service` masked"),
        inHome(
            "home", ["*"], holds: "other files of programs",
            helps: "a home folder in memory, or a new one for each session"),
        open(
            "display_server", [.elsewhere("memory of the compositor or the X server, and of the graphics card")],
            holds: "titles of closed windows, and the last pictures that they showed; both remain after a hand-over",
            helps: "apps whose windows have the app's name as their title; a restart of the graphical session"),
        open(
            "clipboard", [.elsewhere("memory of the display server and of programs")],
            holds: "what was copied last; some desktops keep a history",
            helps: "end the graphical session at the hand-over"),
        open(
            "primary_selection", [.elsewhere("memory of the display server and of programs")],
            holds: "what was selected last",
            helps: "end the graphical session at the hand-over"),
        open(
            "session_programs", [.object(.process)],
            holds: "windows and memory of programs that the worker left open",
            helps: "end the graphical session at the hand-over"),
        open(
            "abstract_sockets", [.object(.socket)], holds: "names of sockets, and the programs behind them",
            helps: "they disappear with their programs"),
        open(
            "listening_ports", [.object(.listener)], holds: "programs that still listen",
            helps: "they disappear with their programs"),
        open(
            "system_v_objects", [.object(.ipc)], holds: "shared memory that outlives its programs",
            helps: "`RemoveIPC=yes` in `logind.conf`, which removes it when the user's last session ends"),
        open(
            "kernel_keyrings", [.elsewhere("keyrings of the session users in the kernel (keyrings(7))")],
            holds: "keys and passwords that programs keep there, also after their end",
            helps:
                "no Kerberos tickets in keyrings (`default_ccache_name` in `krb5.conf`); a restart of the machine. To observe "
                + "them, a process of the user has to list them (`/proc/keys`)"),
        open(
            "control_groups", [.elsewhere("names of control groups that a session user may make (`cgroup2`)")],
            holds: "what a program chose as a name, and no data",
            helps: "they disappear with the user's own service manager (`user@.service`), to which they were given"),
        open(
            "folder_attributes",
            [.elsewhere("extended attributes (xattr(7)) and modes of folders that a session user owned before")],
            holds: "a few kilobytes that a program chose; a mode is a few bits",
            helps:
                "a home folder in memory, or a new one for each session. To observe them, an audit has to save those of each "
                + "folder"),
        open("mounts", [.object(.mount)], holds: "drives that a worker plugged in", helps: "no automounter"),
        open(
            "shared_memory", [.path("/dev/shm/*"), .path("/dev/mqueue/*")],
            holds: "memory and messages that outlive their programs",
            helps: "`RemoveIPC=yes` in `logind.conf`"),
        open(
            "unmounted_queues",
            [.elsewhere("POSIX message queues, if no file system of type `mqueue` is mounted at `/dev/mqueue`")],
            holds: "messages that outlive their programs",
            helps: "`mount -t mqueue mqueue /dev/mqueue`, as systemd does: then they are files there, and observed"),
        open(
            "temporary_files", [.path("/tmp/*"), .path("/var/tmp/*")], holds: "temporary files of other programs",
            helps: "`PrivateTmp=yes` for services, `pam_namespace` for the session"),
        open(
            "runtime_files", [.path("/run/user/*")], holds: "sockets and files of the desktop's programs",
            helps: "they are removed when the user's last session ends"),
        open(
            "print_spool", [.path("/var/spool/cups/*"), .path("/var/log/cups/*")],
            holds: "printed documents, and who printed them",
            helps: "`PreserveJobFiles No` and `PreserveJobHistory No` in `cupsd.conf`"),
        open(
            "core_dumps", [.path("/var/lib/systemd/coredump/*"), .path("/var/crash/*")],
            holds:
                "memory of programs that crashed; `batond` and `baton-agent` write none, and the browser inherits the agent's "
                + "`LimitCORE=0`, which `systemd-coredump` respects",
            helps: "`Storage=none` in `coredump.conf`"),
        open(
            "system_journal",
            [
                .path("/var/log/journal/*"), .path("/run/log/journal/*"), .path("/var/log/syslog*"),
                .path("/var/log/user.log*"),
            ],
            holds: "the logs of apps and of the desktop",
            helps: "`Storage=volatile` and a short `MaxRetentionSec` in `journald.conf`, and no `rsyslog`"),
        open(
            "jobs_and_mail",
            [
                .path("/var/spool/cron/*"), .path("/var/spool/at/*"), .path("/var/spool/anacron/*"),
                .path("/var/mail/*"),
            ],
            holds:
                "commands that the session's user has scheduled by `crontab` and `at`, and mail to that user; programs of root "
                + "write these files for everybody",
            helps: "`/etc/cron.allow` and `/etc/at.allow` without the session's user, or no such packages"),
        open(
            "swap", [.elsewhere("swap space")],
            holds: "memory of apps and of the browser; `batond` is kept out of it (`MemorySwapMax=0`)",
            helps: "no swap, or swap that is encrypted with a new key at each start"),
    ]
}
