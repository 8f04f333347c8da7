// SPDX-License-Identifier: Apache-2.0
import CGTK

/// A part of the window.
///
/// The app uses GTK only through the types in this folder. They are used on the main thread only, because GTK is not
/// safe on any other thread. A widget lives as long as its window and is not used afterwards.
@MainActor protocol Widget {
    var pointer: WidgetPointer { get }
}

/// The address of a GTK widget.
@safe struct WidgetPointer {
    let raw: UnsafeMutablePointer<GtkWidget>

    /// - Parameter made: the result of one of GTK's `_new` functions, which end the program if memory is used up.
    init(_ made: UnsafeMutablePointer<GtkWidget>?) {
        guard let made = unsafe made else { preconditionFailure("GTK made no widget") }
        unsafe raw = made
    }

    /// The same address for functions of a type whose content GTK hides.
    var opaque: OpaquePointer { unsafe OpaquePointer(raw) }

    /// The same address for functions of another type.
    func of<Kind>(_ kind: Kind.Type) -> UnsafeMutablePointer<Kind> {
        unsafe UnsafeMutableRawPointer(raw).assumingMemoryBound(to: kind)
    }
}

enum Alignment {
    case start, center, end

    var value: GtkAlign {
        switch self {
        case .start: GTK_ALIGN_START
        case .center: GTK_ALIGN_CENTER
        case .end: GTK_ALIGN_END
        }
    }
}

extension Widget {
    /// Gives the widget a class of the style sheet.
    func styled(_ name: String) -> Self {
        unsafe gtk_widget_add_css_class(pointer.raw, name)
        return self
    }

    /// Makes the widget take the remaining space in its box.
    func filling(across: Bool = false, down: Bool = false) -> Self {
        unsafe gtk_widget_set_hexpand(pointer.raw, across ? 1 : 0)
        unsafe gtk_widget_set_vexpand(pointer.raw, down ? 1 : 0)
        return self
    }

    func aligned(across: Alignment? = nil, down: Alignment? = nil) -> Self {
        if let across { unsafe gtk_widget_set_halign(pointer.raw, across.value) }
        if let down { unsafe gtk_widget_set_valign(pointer.raw, down.value) }
        return self
    }

    /// Sets the name that a screen reader says for a widget without a text of its own.
    func named(_ label: String) -> Self {
        unsafe cgtk_set_accessible_label(pointer.raw, label)
        return self
    }

    func show(_ isVisible: Bool) { unsafe gtk_widget_set_visible(pointer.raw, isVisible ? 1 : 0) }

    func enable(_ isEnabled: Bool) { unsafe gtk_widget_set_sensitive(pointer.raw, isEnabled ? 1 : 0) }

    /// Moves the keyboard focus to the widget.
    func focus() { unsafe gtk_widget_grab_focus(pointer.raw) }

    /// Calls `action` at each signal of this name, as long as the widget lives.
    func on(_ signal: String, _ action: @escaping @MainActor () -> Void) {
        unsafe cgtk_connect(
            pointer.raw, signal,
            { data in
                guard let data = unsafe data else { return }
                let handler = unsafe Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
                MainActor.assumeIsolated { handler.action() }
            }, Unmanaged.passRetained(Handler(action)).toOpaque(),
            { data, _ in
                guard let data = unsafe data else { return }
                unsafe Unmanaged<Handler>.fromOpaque(data).release()
            })
    }
}

/// Holds a closure for GTK.
private final class Handler: Sendable {
    let action: @MainActor () -> Void

    init(_ action: @escaping @MainActor () -> Void) { self.action = action }
}
