// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Files
internal import Glibc
internal import Processes

extension DeviceReader {
    /// If `/proc` hides processes from users other than root, records the hidden processes as unread (proc(5),
    /// `hidepid`).
    mutating func noteHiddenProcesses(_ table: MountTable) {
        guard geteuid() != 0, let proc = table.mounts.last(where: { $0.path == "/proc" }) else { return }
        let hides = proc.options.contains { option in
            option.hasPrefix("hidepid=") && !["hidepid=0", "hidepid=off"].contains(String(option))
        }
        if hides { note(UnreadPlace("processes", cause: "/proc hides those of other users")) }
    }

    /// Reads the session users' processes, and the abstract sockets that they hold.
    mutating func readProcesses() {
        do {
            let table = try ProcessTable.read()
            let browsers = Set(try table.marked(BrowserProfile.markName + "=").map(\.pid))
            let names = Dictionary(
                try SocketTable.abstractSockets().map { (SocketTable.link(to: $0.inode), $0.name) }
            ) { $1 }
            for process in table.entries {
                guard let status = try ProcessTable.status(process.pid), status.hasMemory,
                    status.users.contains(where: isUser)
                else { continue }
                let program = link("/proc/\(process.pid)/exe")
                let kind: AuditItem.Kind =
                    browsers.contains(process.pid) ? .browserProcess : isOwn(program) ? .ownProcess : .process
                add(AuditItem(kind, "\(process.pid) \(program ?? status.name)", version: "\(process.startTime)"))
                if kind != .ownProcess { readSockets(of: process.pid, names) }
            }
        } catch let failure as ProcessFailure { note("processes", failure.errno) } catch let failure as FileError {
            note("processes", failure.errno)
        } catch { note("processes", EIO) }
    }

    private static let ownPrograms = [
        "batond", "baton-agent", "baton-browser-host", "baton-helper", "baton-server", "baton",
    ]

    private func isOwn(_ program: String?) -> Bool {
        Self.ownPrograms.contains { scope.programs + "/" + $0 == program }
    }

    private func link(_ path: String) -> String? {
        ((try? SymbolicLink.target(of: path)) ?? nil).map { String(printableName: $0) }
    }

    private mutating func readSockets(of pid: Int32, _ names: [String: String]) {
        let folder = Directory(path: "/proc/\(pid)/fd")
        do throws(FileError) {
            for number in try folder.names() {
                guard let target = link(folder.path + "/" + number), let name = names[target] else { continue }
                add(AuditItem(.socket, name, version: ""))
            }
        } catch  where error.errno == ESRCH {
            // The process has ended.
        } catch { note(folder.path, error.errno) }
    }

    /// Reads the TCP ports on which a session user listens.
    mutating func readListeners() {
        do throws(FileError) {
            for socket in try SocketTable.listeners() where isUser(socket.user) {
                add(
                    AuditItem(
                        .listener, "\(socket.family) port \(socket.port) of user \(socket.user)", version: socket.inode)
                )
            }
        } catch { note(error.path, error.errno) }
    }

    /// Reads the session users' System V objects (sysvipc(7)).
    mutating func readIPC() {
        do throws(FileError) {
            for kind in ["shm", "sem", "msg"] {
                let rows = try lines("/proc/sysvipc/" + kind).map {
                    String(decoding: $0, as: UTF8.self).split(separator: " ")
                }
                guard let head = rows.first else { continue }
                // A user can give an object to another user but, as its creator, can still change and remove it.
                let columns = ["uid", "cuid"].compactMap { head.firstIndex(of: $0) }
                for row in rows.dropFirst() {
                    let users = columns.filter(row.indices.contains).compactMap { UInt32(row[$0]) }
                    guard users.count == 2 else {
                        note("/proc/sysvipc/" + kind, EBADMSG)
                        continue
                    }
                    guard let user = users.first(where: isUser) else { continue }
                    add(AuditItem(.ipc, "\(kind) \(row[1]) of user \(user)", version: String(row[0])))
                }
            }
        } catch { note(error.path, error.errno) }
    }

    /// Returns the lines of a kernel file; empty if this kernel has no such file.
    private func lines(_ path: String) throws(FileError) -> [ArraySlice<UInt8>] {
        (try AtomicFile(path: path).read() ?? []).split(separator: UInt8(ascii: "\n"))
    }
}
