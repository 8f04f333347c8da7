// SPDX-License-Identifier: Apache-2.0
import Foundation
import SampleParts
import WardRoundState
import Workers

/// `ward-round --config FILE`: opens the window.
@main enum Main {
    @MainActor static func main() {
        // Only this user may read the notes.
        umask(0o077)
        do {
            let path = path()
            let configuration = try Configuration.read(path)
            runOnce(path)
            try Graph.prepare()
            guard MainLoop.prepare(name: "ward-round", style: Style.sheet) else { fail("there is no screen") }
            try openWindow(configuration)
        } catch let error as ConfigurationError {
            fail("configuration: \(error.reason)")
        } catch { fail(Problem(error).message) }
        MainLoop.run()
    }

    /// Opens the window, and listens for the events after which another worker may be signed in.
    @MainActor private static func openWindow(_ configuration: Configuration) throws {
        var app: WardRoundApp?
        let window = WardRoundWindow { app?.handle($0) }
        app = try WardRoundApp(configuration) { window.show($0) }
        app?.handle(.opened)
        window.open()
    }

    /// Ends this process if another process of the app has locked the configuration file. Otherwise, keeps the file
    /// locked as long as this process runs.
    private static func runOnce(_ path: String) {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0, flock(file, LOCK_EX | LOCK_NB) == 0 else { fail("it is already open") }
    }

    private static func path() -> String {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, arguments.first == "--config", let path = arguments.last else {
            fail("usage: ward-round --config FILE")
        }
        return path
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("ward-round: \(message)\n".utf8))
        exit(64)
    }
}
