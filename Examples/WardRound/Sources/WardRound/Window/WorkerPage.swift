// SPDX-License-Identifier: Apache-2.0
import Foundation
import WardRoundState
import Workers

/// The page of the worker who is signed in: their name, their notes, and a field for the next note.
@MainActor struct WorkerPage {
    private let initials = Label().styled("initials").centered().aligned(down: .center)
    private let name = Label().styled("name")
    private let details = Label().styled("quiet")
    private let notice = Label(isAlert: true).styled("notice")
    private let hint = Label().styled("quiet").styled("hint").centered()
    private let list = List().named("Notes")
    private let field: TextField
    private let add: Button
    let widget: Box

    init(
        entered: @escaping @MainActor (String) -> Void, typed: @escaping @MainActor (_ text: String) -> Void,
        signOut: @escaping @MainActor () -> Void
    ) {
        let field = TextField(placeholder: "Write a note", maximumLength: 300)
            .filling(across: true).named("New note")
        let enter: @MainActor () -> Void = {
            let text = field.text.trimmingCharacters(in: .whitespacesAndNewlines)
            field.clear()
            field.resume()
            entered(text)
        }
        field.onEnter(enter)
        field.onChange { typed(field.text) }
        self.field = field
        add = Button("Add", pressed: enter).styled("suggested-action")
        let header = Box.row(
            spacing: 16, initials,
            Box.column(spacing: 4, name, details).filling(across: true).aligned(down: .center),
            Button("Sign out", pressed: signOut).aligned(down: .center))
        widget = Box.column(
            spacing: 20, header, notice, Scroller(Box.column(spacing: 0, hint, list)).filling(down: true),
            Box.row(spacing: 12, field, add)
        ).styled("page")
    }

    /// Shows the data of a worker, the newest note first.
    func show(_ data: WorkerData, notice: Problem?) {
        let name = data.profile?.displayName ?? data.worker.username
        initials.set(name.split(separator: " ").prefix(2).compactMap { $0.first.map(String.init) }.joined())
        self.name.set(name)
        details.set(data.profile?.jobTitle ?? "")
        self.notice.set(notice?.plainWords ?? "")
        list.clear()
        for note in (data.notes ?? []).reversed() { list.add(row(note), name: note.text) }
        hint.set(hint(data))
        field.enable(data.hasRoom)
        add.enable(data.hasRoom)
    }

    /// Removes all of a worker's data from the page, including what they typed and copied.
    func clear() {
        for label in [initials, name, details, notice] { label.set("") }
        list.clear()
        field.clear()
        Clipboards.clear()
    }

    func focus() { field.resume() }

    private func hint(_ data: WorkerData) -> String {
        guard let notes = data.notes else { return "" }
        if notes.isEmpty { return "No notes yet.\nThey are erased when you sign out." }
        return data.hasRoom ? "" : "There is no room for another note."
    }

    private func row(_ note: Note) -> Box {
        Box.column(
            spacing: 4, Label(note.written.formatted(date: .omitted, time: .shortened)).styled("time"),
            Label(note.text))
    }
}
