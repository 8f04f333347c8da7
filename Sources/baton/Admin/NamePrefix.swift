// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser

/// The option that limits a list to names with a common beginning.
struct NamePrefix: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only items whose name begins with this text. Upper and lower case differ.",
            discussion: "For people it is the user name in lower case, for profiles and apps the identifier.",
            valueName: "text"))
    var startsWith: String?

    /// The parameters of the call.
    var query: [(String, String)] { startsWith.map { [(QueryParameter.startsWith.name, $0)] } ?? [] }
}
