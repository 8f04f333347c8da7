// SPDX-License-Identifier: Apache-2.0
import TestSupport

/// The disks that a power cut may leave after recorded changes. Synced changes are always on the disk; any subset of
/// the others may be missing.
///
/// A folder entry is certain once the folder was synced after the change, a file's content once the file was synced,
/// and a rename once both folders were. With up to ``everySubset`` uncertain changes, every subset of them gives an
/// image. With more, the images contain none of the changes, all of them, each change alone, all changes except one,
/// and every prefix. For a write, there is also an image with its first half.
struct CrashImages {
    /// A disk after a power cut, and what had been acknowledged before it.
    struct Image: Hashable {
        let disk: Disk
        let acknowledged: [String]
    }

    static let everySubset = 5

    private struct Pending {
        let change: Disk.Change
        /// The numbers of the files and folders that must be synced to make the change certain.
        var unsynced: Set<UInt64>
    }

    private var numbers: [UInt64: Int]
    private var next: Int
    /// All changes so far, in order. A change is certain once its `unsynced` is empty.
    private var happened: [Pending] = []
    private var acknowledged: [String] = []
    private let beginning: Disk
    private(set) var images: Set<Image> = []

    /// - Parameters:
    ///   - beginning: the files before the first change, all of them synced, with the kernel's inode numbers.
    init(_ changes: [FileChange], after beginning: (disk: Disk, numbers: [UInt64: Int])) throws {
        (self.beginning, numbers) = beginning
        next = numbers.count
        collect()
        for change in changes {
            try happen(change)
            collect()
        }
    }

    private mutating func happen(_ change: FileChange) throws {
        switch change {
        case .created(let name, let folder, let inode):
            let number = fresh(inode)
            add(.enter(name: name, in: try known(folder), number: number, .file([])), [folder])
        case .madeFolder(let name, let folder, let inode):
            let number = fresh(inode)
            add(.enter(name: name, in: try known(folder), number: number, .folder([:])), [folder])
        case .linked(let name, let folder, let inode, let target):
            let number = fresh(inode)
            add(.enter(name: name, in: try known(folder), number: number, .link(target)), [folder])
        case .cut(let inode, let length): add(.cut(try known(inode), to: length), [inode])
        case .wrote(let inode, let offset, let bytes): add(.write(try known(inode), at: offset, bytes), [inode])
        case .renamed(let from, let old, let to, let new):
            add(.rename(from: try known(from), old, to: try known(to), new), [from, to])
        case .removed(let name, let folder): add(.remove(name: name, in: try known(folder)), [folder])
        case .synced(let inode): for index in happened.indices { happened[index].unsynced.remove(inode) }
        case .mark(let text): acknowledged.append(text)
        }
    }

    private mutating func fresh(_ inode: UInt64) -> Int {
        defer { next += 1 }
        numbers[inode] = next
        return next
    }

    private func known(_ inode: UInt64) throws -> Int {
        guard let number = numbers[inode] else { throw TestProblem("a file that nobody made") }
        return number
    }

    private mutating func add(_ change: Disk.Change, _ unsynced: Set<UInt64>) {
        happened.append(Pending(change: change, unsynced: unsynced))
    }

    /// Adds the disks that a power cut at this moment may leave.
    private mutating func collect() {
        let open = happened.indices.filter { !happened[$0].unsynced.isEmpty }
        for kept in choices(of: open) {
            add(disk(keeping: kept))
            for index in kept {
                guard case .write(let number, let offset, let bytes) = happened[index].change else { continue }
                add(disk(keeping: kept, at: index, .write(number, at: offset, Array(bytes.prefix(bytes.count / 2)))))
            }
        }
    }

    private mutating func add(_ disk: Disk) { images.insert(Image(disk: disk, acknowledged: acknowledged)) }

    /// - Parameter half: the part of the change at `torn` that reached the disk.
    private func disk(keeping kept: Set<Int>, at torn: Int? = nil, _ half: Disk.Change? = nil) -> Disk {
        var disk = beginning
        for (index, one) in happened.enumerated() where one.unsynced.isEmpty || kept.contains(index) {
            if index == torn, let half { disk.apply(half) } else { disk.apply(one.change) }
        }
        return disk
    }

    private func choices(of open: [Int]) -> Set<Set<Int>> {
        guard open.count > Self.everySubset else {
            return Set(
                (0..<(1 << open.count)).map { bits in Set(open.indices.filter { bits >> $0 & 1 == 1 }.map { open[$0] })
                })
        }
        var choices: Set<Set<Int>> = [[], Set(open)]
        for index in open.indices {
            choices.insert([open[index]])
            choices.insert(Set(open).subtracting([open[index]]))
            choices.insert(Set(open[...index]))
        }
        return choices
    }
}
