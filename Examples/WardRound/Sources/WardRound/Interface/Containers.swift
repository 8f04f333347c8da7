// SPDX-License-Identifier: Apache-2.0
import CGTK

/// Widgets beside or below each other.
struct Box: Widget {
    let pointer: WidgetPointer

    static func row(spacing: Int32, _ children: any Widget...) -> Box {
        Box(GTK_ORIENTATION_HORIZONTAL, spacing, children)
    }

    static func column(spacing: Int32, _ children: any Widget...) -> Box {
        Box(GTK_ORIENTATION_VERTICAL, spacing, children)
    }

    private init(_ orientation: GtkOrientation, _ spacing: Int32, _ children: [any Widget]) {
        pointer = unsafe WidgetPointer(gtk_box_new(orientation, spacing))
        for child in children { unsafe gtk_box_append(pointer.of(GtkBox.self), child.pointer.raw) }
    }
}

/// Pages, one of which is visible.
struct Pages: Widget {
    let pointer: WidgetPointer

    init(_ pages: [String: any Widget]) {
        pointer = unsafe WidgetPointer(gtk_stack_new())
        for (name, page) in pages { unsafe gtk_stack_add_named(pointer.opaque, page.pointer.raw, name) }
    }

    /// Makes a page visible.
    ///
    /// - Returns: whether another page was visible before.
    func turn(to name: String) -> Bool {
        let former = unsafe gtk_stack_get_visible_child_name(pointer.opaque).map { unsafe String(cString: $0) }
        unsafe gtk_stack_set_visible_child_name(pointer.opaque, name)
        return former != name
    }
}

/// Rows below each other.
struct List: Widget {
    let pointer: WidgetPointer

    init() {
        pointer = unsafe WidgetPointer(gtk_list_box_new())
        unsafe gtk_list_box_set_selection_mode(pointer.opaque, GTK_SELECTION_NONE)
    }

    /// - Parameter name: the name that a screen reader says for the row.
    func add(_ content: any Widget, name: String) {
        let row = unsafe WidgetPointer(gtk_list_box_row_new())
        unsafe gtk_list_box_row_set_child(row.of(GtkListBoxRow.self), content.pointer.raw)
        unsafe cgtk_set_accessible_label(row.raw, name)
        unsafe gtk_list_box_append(pointer.opaque, row.raw)
    }

    func clear() {
        while let row = unsafe gtk_widget_get_first_child(pointer.raw) {
            unsafe gtk_list_box_remove(pointer.opaque, row)
        }
    }
}

/// A view of a widget that may be higher than the window.
struct Scroller: Widget {
    let pointer: WidgetPointer

    init(_ content: any Widget) {
        pointer = unsafe WidgetPointer(gtk_scrolled_window_new())
        unsafe gtk_scrolled_window_set_policy(pointer.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        unsafe gtk_scrolled_window_set_child(pointer.opaque, content.pointer.raw)
    }
}
