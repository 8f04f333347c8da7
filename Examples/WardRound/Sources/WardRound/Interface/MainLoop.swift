// SPDX-License-Identifier: Apache-2.0
import CGTK
import Glibc

/// GTK's main loop, on the main thread.
@MainActor enum MainLoop {
    /// Starts GTK.
    ///
    /// - Returns: whether there is a screen.
    static func prepare(name: String, style: String) -> Bool {
        unsafe g_set_prgname(name)
        guard gtk_init_check() != 0 else { return false }
        let provider = unsafe gtk_css_provider_new()
        unsafe gtk_css_provider_load_from_data(provider, style, -1)
        unsafe gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        runMainQueue()
        return true
    }

    /// Runs until ``end()``.
    static func run() {
        unsafe loop = g_main_loop_new(nil, 0)
        unsafe g_main_loop_run(loop)
    }

    static func end() { unsafe g_main_loop_quit(loop) }

    private static var loop: OpaquePointer?

    /// Makes GTK's loop run the main dispatch queue, which `RunLoop.main` or `dispatchMain()` runs in other programs.
    ///
    /// All code for the main thread therefore runs as usual in Swift: `DispatchQueue.main`, `@MainActor`, and the
    /// blocks of MSAL, in which the app erases. With `g_idle_add`, the app would erase only after MSAL's block has
    /// returned, and the change of worker would count as handled too early.
    private static func runMainQueue() {
        let work: GUnixFDSourceFunc = { descriptor, _, _ in
            var count: UInt64 = 0
            _ = unsafe read(descriptor, &count, MemoryLayout.size(ofValue: count))
            _dispatch_main_queue_callback_4CF(nil)
            return 1  // Call again.
        }
        _ = unsafe g_unix_fd_add(_dispatch_get_main_queue_handle_4CF(), G_IO_IN, work, nil)
    }
}
