// SPDX-License-Identifier: Apache-2.0
import CGTK

/// A text that wraps.
struct Label: Widget {
    let pointer: WidgetPointer

    /// - Parameter isAlert: whether screen readers say the text as soon as it changes.
    init(_ text: String = "", isAlert: Bool = false) {
        pointer = unsafe WidgetPointer(isAlert ? cgtk_alert_new() : gtk_label_new(nil))
        unsafe gtk_label_set_wrap(pointer.opaque, 1)
        unsafe gtk_label_set_wrap_mode(pointer.opaque, PANGO_WRAP_WORD_CHAR)
        unsafe gtk_label_set_xalign(pointer.opaque, 0)
        set(text)
    }

    /// Shows another text. An empty label takes up no space.
    func set(_ text: String) {
        unsafe gtk_label_set_text(pointer.opaque, text)
        show(!text.isEmpty)
    }

    func centered() -> Label {
        unsafe gtk_label_set_justify(pointer.opaque, GTK_JUSTIFY_CENTER)
        unsafe gtk_label_set_xalign(pointer.opaque, 0.5)
        return aligned(across: .center)
    }
}

struct Button: Widget {
    let pointer: WidgetPointer

    init(_ title: String, pressed: @escaping @MainActor () -> Void) {
        pointer = unsafe WidgetPointer(gtk_button_new_with_label(title))
        on("clicked", pressed)
    }
}

/// A field for one line.
struct TextField: Widget {
    let pointer: WidgetPointer

    init(placeholder: String, maximumLength: Int32) {
        pointer = unsafe WidgetPointer(gtk_entry_new())
        unsafe gtk_entry_set_placeholder_text(pointer.of(GtkEntry.self), placeholder)
        unsafe gtk_entry_set_max_length(pointer.of(GtkEntry.self), maximumLength)
        // Typed text must not enter the keyboard's dictionary, and Control+Z must not bring it back.
        unsafe gtk_entry_set_input_hints(pointer.of(GtkEntry.self), GTK_INPUT_HINT_PRIVATE)
        unsafe gtk_editable_set_enable_undo(pointer.opaque, 0)
    }

    /// Calls `action` when Enter is pressed in the field.
    func onEnter(_ action: @escaping @MainActor () -> Void) { on("activate", action) }

    /// Calls `action` whenever the text changes.
    func onChange(_ action: @escaping @MainActor () -> Void) { on("changed", action) }

    var text: String { unsafe String(cString: gtk_editable_get_text(pointer.opaque)) }

    /// Moves the keyboard focus to the field, and leaves the field's text unselected, so that the next key does not
    /// replace the text.
    func resume() { unsafe gtk_entry_grab_focus_without_selecting(pointer.of(GtkEntry.self)) }

    func clear() { unsafe gtk_editable_set_text(pointer.opaque, "") }
}

/// A spinner that shows that the app is busy.
struct Spinner: Widget {
    let pointer: WidgetPointer

    init() {
        pointer = unsafe WidgetPointer(gtk_spinner_new())
        unsafe gtk_spinner_start(pointer.opaque)
    }
}
