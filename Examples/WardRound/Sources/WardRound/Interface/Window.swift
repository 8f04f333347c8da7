// SPDX-License-Identifier: Apache-2.0
import CGTK

/// A window of the desktop.
struct Window: Widget {
    let pointer: WidgetPointer

    init(title: String, width: Int32, height: Int32, content: any Widget) {
        pointer = unsafe WidgetPointer(gtk_window_new())
        unsafe gtk_window_set_title(pointer.of(GtkWindow.self), title)
        unsafe gtk_window_set_default_size(pointer.of(GtkWindow.self), width, height)
        unsafe gtk_window_set_child(pointer.of(GtkWindow.self), content.pointer.raw)
    }

    func present() { unsafe gtk_window_present(pointer.of(GtkWindow.self)) }

    /// Calls `action` whenever the window becomes active, that is, when the worker has come back to it.
    func onActive(_ action: @escaping @MainActor () -> Void) {
        on("notify::is-active") { [pointer] in
            if unsafe gtk_window_is_active(pointer.of(GtkWindow.self)) != 0 { action() }
        }
    }

    /// Calls `action` when the window is closed.
    func onClose(_ action: @escaping @MainActor () -> Void) { on("destroy", action) }
}

/// The clipboards of the desktop.
@MainActor enum Clipboards {
    /// Drops text that was copied from this app, so that the next worker cannot paste it. Text from other apps is kept,
    /// because this app must not clear it.
    static func clear() {
        guard let display = unsafe gdk_display_get_default() else { return }
        unsafe clear(gdk_display_get_clipboard(display))
        unsafe clear(gdk_display_get_primary_clipboard(display))
    }

    private static func clear(_ clipboard: OpaquePointer?) {
        if unsafe gdk_clipboard_is_local(clipboard) != 0 { unsafe gdk_clipboard_set_content(clipboard, nil) }
    }
}
