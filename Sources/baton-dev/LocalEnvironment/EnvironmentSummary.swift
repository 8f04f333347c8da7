// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
import BrokerProtocol
import CommandLineInterface
import FoundationEssentials

/// Information for the user of a running environment: where it is, how to reach it, what to try.
struct EnvironmentSummary: Encodable {
    let organisation = EnvironmentFacts.organisation
    let directory: String
    /// The file with the people and their passwords.
    let credentials: String
    let logs: String
    /// A file for shells to source: the paths of programs and sockets.
    let environment: String
    let tenant: String
    let addresses: Addresses
    /// Whether the device is already joined to the directory.
    let isJoined: Bool
    /// Whether sign-ins can open a window on this machine.
    let hasScreen: Bool
    let suggestions: [Suggestion]
    private let variables: [(name: String, value: String)]

    struct Addresses: Encodable {
        let login: String
        let deviceRegistration: String
        let graph: String
        let mdm: String
        let administration: String?
    }

    struct Suggestion: Encodable {
        let text: String
        let commands: [String]
    }

    private enum CodingKeys: String, CodingKey {
        case organisation, directory, credentials, logs, environment, tenant, addresses, isJoined, hasScreen
        case suggestions = "try"
    }

    /// Summarises a running environment.
    ///
    /// - Throws: ``CommandFailure`` if the device does not answer.
    init(_ local: LocalEnvironment) async throws {
        let (layout, facts) = (local.layout, local.facts)
        directory = layout.root
        credentials = layout.facts
        logs = layout.logs
        environment = layout.environment
        tenant = try local.tenantID()
        addresses = Addresses(
            login: facts.loginURL, deviceRegistration: facts.registrationURL, graph: facts.graphURL,
            mdm: facts.mdmURL, administration: facts.administrationURL)
        isJoined = try await local.device.status().deviceID != nil
        hasScreen = local.browser.hasScreen
        variables = [
            (
                "PATH",
                "\(local.programs.folder):\(URL(filePath: local.programs.firstlineWorker).deletingLastPathComponent().path)"
            ),
            ("BATON_ENVIRONMENT", layout.root), ("BATON_RUNTIME", layout.run), ("BATON_SERVER", layout.server),
            ("BATON_SOCKET", layout.run + "/broker.sock"), ("BATON_STATE", layout.device),
            ("BATON_MARKER", layout.managedMarker),
        ]
        suggestions = Self.suggestions(local, isJoined: isJoined)
    }

    private static func suggestions(_ local: LocalEnvironment, isJoined: Bool) -> [Suggestion] {
        let facts = local.facts
        let join = Suggestion(
            text: "The device is enrolled, and not joined yet. Carol joins it, at the browser that opens:",
            commands: [
                "baton device join --login \(facts.loginURL) --registration \(facts.registrationURL) "
                    + "--tenant \(EnvironmentFacts.domain) --name \(LocalDeviceSetup.deviceName)"
            ])
        let home = Suggestion(
            text: "The home screen opens in a window. Try:",
            commands: [
                "1. Sign in as Amara, with her password from above.",
                "2. Open \"Ward Round\" and write a note: it knows who you are.",
                "3. Hand over, and sign in as Bo: no data of Amara is left, and the screen says who verified that.",
            ])
        let showsHome = isJoined && local.showsHomeScreen
        let seats = if case .person = local.browser { [seat(local)] } else { [Suggestion]() }
        return (showsHome ? [home] : []) + seats + [
            Suggestion(
                text: showsHome ? "To look closer, in another terminal, first:" : "In every other terminal, first:",
                commands: [". \(quoted(local.layout.environment))"])
        ] + (isJoined ? [] : [join]) + [
            Suggestion(
                text: "Two apps, each in a terminal of its own (type: sign-in, me, note hello, show, sign-out):",
                commands: facts.apps.prefix(2).map { start($0, local) }),
            Suggestion(
                text: "An app of your own, built here (docs/README.md):",
                commands: ["baton-dev run-app --directory \(quoted(local.layout.root)) --id com.example.rounds PROGRAM"]
            ),
            Suggestion(
                text: "A crash of the broker; it is started again:",
                commands: ["pkill -KILL -f \(quoted("/batond --config \(local.layout.configuration)/"))"]),
            Suggestion(
                text: "Device and organisation:",
                commands: ["baton device status", "baton account current", "baton admin user list"]),
        ] + (facts.administrationURL.map { [remoteAdministration(at: $0, local)] } ?? [])
    }

    /// How to administer as somebody on another machine does.
    private static func remoteAdministration(at address: String, _ local: LocalEnvironment) -> Suggestion {
        Suggestion(
            text:
                "The organisation as Ada administers it from another machine, with her own sign-in. Both names must be "
                + "in /etc/hosts:",
            commands: [
                "echo 127.0.0.1 \(EnvironmentFacts.login) \(EnvironmentFacts.administration) | sudo tee -a /etc/hosts",
                "baton admin user list --url \(address) --ca \(quoted(local.layout.trustRoots))",
            ])
    }

    /// How to choose who signs in, if a program acts as the person.
    private static func seat(_ local: LocalEnvironment) -> Suggestion {
        let worker = local.facts.people.first { $0.role == nil } ?? local.facts.people[0]
        return Suggestion(
            text: "A program signs in as the person in a file; its log is \(local.layout.logs)/person.log. For Amara:",
            commands: [
                "(umask 077; echo '{\"username\": \"\(worker.userName)\", \"password\": \"PASSWORD\"}' > "
                    + quoted(local.layout.person) + ")"
            ])
    }

    private static func start(_ app: EnvironmentFacts.App, _ local: LocalEnvironment) -> String {
        "\(app.sample.rawValue) --config \(quoted(local.configuration(of: app.number)))"
    }

    /// The content of ``environment``.
    var environmentFile: String {
        variables.map { name, value in
            "export \(name)=\(Self.quoted(value))\(name == "PATH" ? ":\"$PATH\"" : "")\n"
        }.joined()
    }

    /// Quotes any text as one shell word.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isLetter || character.isNumber || "/._-:@+".contains(character)
        }
        return isPlain ? text : "'" + text.replacing("'", with: #"'\''"#) + "'"
    }

    /// The summary as lines, with the people's passwords.
    func lines(people: [EnvironmentFacts.Person]) -> [String] {
        let rows = people.map { [$0.userName, $0.password, $0.role ?? $0.jobTitle] }
        return ["", "\(organisation) is up.", ""]
            + TextTable.lines(["USER NAME", "PASSWORD", "WHO"], rows).map { "  " + $0 }
            + [
                "", "  identity platform  \(addresses.login)/\(tenant)", "  Graph              \(addresses.graph)",
                "  logs               \(logs)",
            ] + (hasScreen ? [] : ["", "There is no screen here, so no sign-in can open a window. " + Self.noScreen])
            + suggestions.flatMap { ["", $0.text] + $0.commands.map { "  " + $0 } } + [
                "", "Ctrl-C ends the environment.",
            ]
    }

    private static let noScreen =
        "Start it where DISPLAY or WAYLAND_DISPLAY is set (xvfb-run make up, for a screen without a monitor), or see make demo."
}
