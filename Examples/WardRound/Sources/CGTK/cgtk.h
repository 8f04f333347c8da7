// SPDX-License-Identifier: Apache-2.0
//
// Imports GTK 4, and defines in C the few functions that Swift cannot express.
#ifndef CGTK_H
#define CGTK_H

#include <glib-unix.h>
#include <gtk/gtk.h>

/// Connects a signal of any signature. `handler` gets `data` first, and ignores the signal's own arguments.
static inline void cgtk_connect(
    void *object, const char *signal, void (*handler)(void *data), void *data, void (*release)(void *data, GClosure *)) {
    g_signal_connect_data(object, signal, G_CALLBACK(handler), data, release, G_CONNECT_SWAPPED);
}

/// Makes a label that screen readers announce as soon as its text changes.
static inline GtkWidget *cgtk_alert_new(void) {
    return g_object_new(GTK_TYPE_LABEL, "accessible-role", GTK_ACCESSIBLE_ROLE_ALERT, NULL);
}

/// Sets the name that screen readers say for a widget without a text of its own.
static inline void cgtk_set_accessible_label(GtkWidget *widget, const char *label) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

// libdispatch exports these two functions for the run loops of other libraries; Foundation's run loop also uses them.

/// Returns a descriptor that becomes readable when the main queue has work.
int _dispatch_get_main_queue_handle_4CF(void);

/// Does the work of the main queue. Call it on the main thread only.
void _dispatch_main_queue_callback_4CF(void *message);

#endif
