// SPDX-License-Identifier: Apache-2.0
internal import Leftovers

/// The differences between two snapshots of a device, each with the entry of the list of leftovers that explains it.
package struct AuditReport: Sendable, Codable, Equatable {
    /// The meaning of a difference.
    package enum Judgement: String, Sendable, Codable, CaseIterable {
        /// No entry explains the difference: this leftover was not known before.
        case unexplained
        /// Baton should have cleared the item at the sign-out, but the item is still there.
        case present
        /// The list says that Baton does not clear the item.
        case notCovered = "not_covered"
        /// The item stays by design.
        case kept
    }

    /// A difference of one item.
    package struct Difference: Sendable, Codable, Equatable {
        package enum Change: String, Sendable, Codable { case new, changed }

        package let kind: AuditItem.Kind
        package let name: String
        package let change: Change
    }

    /// The differences that the same entry explains, or all those that no entry explains.
    package struct Group: Sendable, Codable, Equatable {
        package let judgement: Judgement
        /// The name of the entry (`docs/reference/leftovers.md`); nil if no entry explains the differences.
        package let entry: String?
        /// The remedy; nil unless ``judgement`` is ``Judgement/notCovered``.
        package let remedy: String?
        /// Sorted by name.
        package let differences: [Difference]
    }

    /// Sorted by judgement and entry.
    package let groups: [Group]
    /// The places that a snapshot could not read. If there are any, the report may lack differences.
    package let unread: [UnreadPlace]

    /// Compares two snapshots. An item that only the earlier snapshot contains is not a difference, since nothing was
    /// left.
    ///
    /// If the machine was restarted in between, everything except the files counts as unread, because no process,
    /// socket or mount can be the same.
    package init(from before: AuditSnapshot, to after: AuditSnapshot, scope: AuditScope) {
        let isSameStart = before.boot == after.boot
        var versions: [Key: Set<String>] = [:]
        for item in before.content.items { versions[Key(item), default: []].insert(item.version) }
        var found: [Head: [Difference]] = [:]
        for item in after.content.items where isSameStart || item.kind == .file {
            let known = versions[Key(item)]
            guard known?.contains(item.version) != true else { continue }
            let entry = scope.entry(for: item)
            // If the files of an entry are fixed, the entry explains why they exist, but not why one of them was
            // changed.
            found[Head(known != nil && entry?.isFixed == true ? nil : entry), default: []].append(
                Difference(kind: item.kind, name: item.name, change: known == nil ? .new : .changed))
        }
        groups = found.map { head, differences in
            Group(
                judgement: head.judgement, entry: head.entry, remedy: head.remedy,
                differences: differences.sorted { ($0.name, $0.kind.rawValue) < ($1.name, $1.kind.rawValue) })
        }.sorted { ($0.judgement.rank, $0.entry ?? "") < ($1.judgement.rank, $1.entry ?? "") }
        let restart = UnreadPlace(
            "processes, sockets, ports, shared memory and mounts",
            cause: "the machine was started again after the snapshot")
        unread = Set(before.content.unread + after.content.unread + (isSameStart ? [] : [restart])).sorted {
            ($0.name, $0.cause) < ($1.name, $1.cause)
        }
    }

    /// Whether Baton cleared everything that it should have cleared, and an entry explains everything that is left.
    package var isClean: Bool { !groups.contains { [.unexplained, .present].contains($0.judgement) } }

    /// Whether the session left nothing except what stays by design.
    package var isEmpty: Bool { !groups.contains { $0.judgement != .kept } }

    private struct Key: Hashable {
        let kind: AuditItem.Kind
        let name: String

        init(_ item: AuditItem) { (kind, name) = (item.kind, item.name) }
    }

    private struct Head: Hashable {
        let judgement: Judgement
        let entry: String?
        let remedy: String?

        init(_ leftover: Leftover?) {
            entry = leftover?.name
            remedy = leftover?.fate == .notCovered ? leftover?.eraser : nil
            judgement =
                switch leftover?.fate {
                case nil: .unexplained
                case .cleared: .present
                case .notCovered: .notCovered
                case .kept: .kept
                }
        }
    }
}

extension AuditReport.Judgement {
    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
