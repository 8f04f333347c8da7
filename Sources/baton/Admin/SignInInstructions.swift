// SPDX-License-Identifier: Apache-2.0
import CommandLineInterface
import Glibc

/// Tells the person at the terminal how to sign in.
struct SignInInstructions: Sendable {
    let output: OutputOptions
    /// Whether a code is used only because this machine has no screen.
    let isWithoutScreen: Bool

    /// An instruction, as `baton admin sign-in --json` prints it.
    private struct Printed: Encodable {
        let signIn: Parts

        struct Parts: Encodable {
            let address: String
            let code: String?
            var browserFailure: String?
        }
    }

    /// Prints the instruction to standard error; with `--json`, as one line of standard output.
    func show(_ instruction: PersonSignIn.Instruction) throws {
        if output.json { return try OutputOptions.print(json: Printed(signIn: parts(instruction))) }
        try OutputOptions.print(lines(instruction), to: STDERR_FILENO)
    }

    private func parts(_ instruction: PersonSignIn.Instruction) -> Printed.Parts {
        switch instruction {
        case .open(let address): Printed.Parts(address: address, code: nil)
        case .openYourself(let address, let reason):
            Printed.Parts(address: address, code: nil, browserFailure: reason)
        case .enter(let code, let address): Printed.Parts(address: address, code: code)
        }
    }

    private func lines(_ instruction: PersonSignIn.Instruction) -> [String] {
        switch instruction {
        case .open(let address):
            ["Sign in with the browser. If it does not open, open this address on this machine:", address]
        case .openYourself(let address, let reason):
            [
                "The browser has not opened the address: \(TextTable.printable(reason)). Open it on this machine by hand, "
                    + "or end this command and give --device-code, to sign in on another machine:", address,
            ]
        case .enter(let code, let address):
            (isWithoutScreen ? ["This session has no screen, so you sign in with a code."] : [])
                + ["To sign in, open \(address) in a browser and enter the code \(code)."]
        }
    }
}
