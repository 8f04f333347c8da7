// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Repeats one piece of work, so that its instructions can be counted: see scripts/measure/instructions.
///
/// `main` is synchronous, because valgrind cannot follow a program whose first thread ends.
@main
enum InstructionBenchmark {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 3, let work = Work(rawValue: words[1]), let count = Int(words[2]), count > 0 else {
            let works = Work.allCases.map(\.rawValue).joined(separator: "|")
            print("usage: instruction-benchmark \(works) COUNT")
            exit(64)
        }
        try work.run(count)
        // Ends the process at once, so that ending the threads is not counted.
        _exit(0)
    }
}

/// The pieces of work whose instructions can be counted.
enum Work: String, CaseIterable {
    case cachedToken = "cached-token"
    case currentAccount = "current-account"
    case brokerFrame = "broker-frame"

    func run(_ count: Int) throws {
        switch self {
        case .cachedToken: try App().cachedTokens(count)
        case .currentAccount: try App().currentAccounts(count)
        case .brokerFrame: try Replies().frames(count)
        }
    }
}
