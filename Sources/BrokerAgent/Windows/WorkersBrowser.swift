// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserWindows
internal import Files
internal import Glibc
internal import Processes
internal import UnixSocket

/// The sandbox of the worker's browser. It lives until the session ends, so a worker who closes the browser and opens it
/// again finds the downloads and the sites' data.
///
/// A shell inside the sandbox starts the browser's processes, because only a process that shares a running browser's
/// folders can pass a page to it.
struct WorkersBrowser {
    /// The folder with the start pages, which the browser sees at the same path.
    let folder: Directory
    /// The browser's policies, as they were written.
    let policies: KnownFiles
    /// bubblewrap's messages if it cannot start the sandbox.
    let words: BubblewrapWords
    /// The numbers of the processes that show pages or pass them on.
    private(set) var pages: Set<Int> = []
    private let held: HeldProcess
    /// The pages that were opened before the sandbox was released; nil afterwards.
    private var waiting: [String]? = []

    var process: ChildProcess { held.process }

    /// Runs inside the sandbox until its input ends. Each line of the input is the number of a page and the page's
    /// address, which replaces the word that contains `{url}`. When the page's process has ended, the number and the
    /// exit status are written back.
    private static let script = #"""
        exec 3<&0
        while read -r number page; do
            (
                for word do
                    shift
                    case $word in *'{url}'*) word=$page ;; esac
                    set -- "$@" "$word"
                done
                \#(BrowserProfile.numberName)=$number "$@" </dev/null 3<&-
                echo "$number $?" >&3
            ) &
        done
        """#

    /// Returns the command that runs inside the sandbox and starts `command` for each page.
    ///
    /// - Parameter beginning: a shell command that runs first, such as one that starts a message bus.
    static func launcher(_ command: [String], beginning: String = "") -> [String] {
        ["/bin/sh", "-c", beginning + script, "sh"] + command
    }

    /// - Parameter held: the sandbox, which keeps its standard input.
    init(_ held: HeldProcess, folder: Directory, policies: KnownFiles, _ words: BubblewrapWords) {
        (self.held, self.folder, self.policies, self.words) = (held, folder, policies, words)
    }

    /// Opens a page, as soon as the sandbox is released.
    ///
    /// - Throws: ``FileError`` if the sandbox has ended.
    mutating func open(_ page: StartPage, number: Int) throws(FileError) {
        let line = "\(number) \(page.url)\n"
        if waiting == nil { try write(line) } else { waiting?.append(line) }
        pages.insert(number)
    }

    /// Lets the sandbox start.
    ///
    /// - Throws: ``FileError`` if it has ended.
    mutating func release() throws(FileError) {
        try held.release()
        let lines = waiting ?? []
        waiting = nil
        for line in lines { try write(line) }
    }

    /// Removes a page whose process has ended; returns false if it is unknown.
    mutating func remove(_ number: Int) -> Bool { pages.remove(number) != nil }

    private func write(_ line: String) throws(FileError) {
        try held.input.withNumber { (number) throws(FileError) in
            try FileWriting.writeAll(Array(line.utf8), to: number, path: "the worker's browser")
        }
    }

    // MARK: - Ends

    /// The maximum number of bytes in a line: a number, a blank and an exit status. A longer line does not come from
    /// the script.
    private static let longestLine = 64

    /// Reads the reports about ended pages until the sandbox has ended; blocks.
    ///
    /// - Parameter tell: is called with the number and the exit status of each page's process.
    func readEnds(_ tell: (Int, ExitStatus) -> Void) { Self.readEnds(of: held.input, tell) }

    private static func readEnds(of input: Descriptor, _ tell: (Int, ExitStatus) -> Void) {
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = input.withNumber { unsafe read($0, &buffer, buffer.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            for byte in buffer[..<count] {
                guard byte == UInt8(ascii: "\n") else {
                    guard line.count < longestLine else { return }
                    line.append(byte)
                    continue
                }
                if let (number, status) = end(String(decoding: line, as: UTF8.self)) { tell(number, status) }
                line = []
            }
        }
    }

    /// Parses a line. A shell reports 128 plus the number of the signal that ended a process.
    private static func end(_ line: String) -> (Int, ExitStatus)? {
        let words = line.split(separator: " ")
        guard words.count == 2, let number = Int(words[0]), let status = Int32(words[1]) else { return nil }
        return (number, (129...192).contains(status) ? .signalled(status - 128) : .exited(status))
    }
}
