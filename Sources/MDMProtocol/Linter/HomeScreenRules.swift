// SPDX-License-Identifier: Apache-2.0

/// The home screen's configuration must come from the management server.
enum HomeScreenFromMDM: ProfileRule {
    static let code = ProfileFinding.Code.homeScreenOutsideMDM
    static let source = "Baton"
    static let remedy = BrowserFromMDM.remedy

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        guard subject.delivery == .enrollment else { return [] }
        return subject.homeScreens.map {
            ProfileRuleBreach(in: $0.identifier, "devices accept a home screen only from their management server")
        }
    }
}

/// A device must have at most one home screen payload.
enum OneHomeScreen: ProfileRule {
    static let code = ProfileFinding.Code.homeScreenTwice
    static let source = "Baton: a device has one home screen"
    static let remedy = "Keep only one org.baton.homescreen payload on the device; replace or remove the other profile."

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.homeScreens.dropFirst(subject.taken.contains(.homeScreen) ? 0 : 1).map {
            ProfileRuleBreach(in: $0.identifier, "the device has another org.baton.homescreen payload")
        }
    }
}

/// A home screen payload must not contain unknown keys, at its top level or in a tile.
enum KnownHomeScreenKeys: ProfileRule {
    static let code = ProfileFinding.Code.homeScreenKey
    static let source = "Baton: as in home.json"
    static let remedy =
        "Use only Organisation, Logo, Colour, Contact, PreferredDomain and Tiles; in a tile use only Title, "
        + "Page, Program, Arguments, BundleIdentifier and Icon."

    private static let tileKeys: [PropertyKey] = [
        .tileTitle, .page, .program, .arguments, .tileBundleIdentifier, .icon,
    ]

    static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        KnownPayloadKeys.unknown(in: subject) { $0 == .homeScreen } + subject.rawPayloads.flatMap(inTiles)
    }

    private static func inTiles(of payload: [String: PropertyList]) -> [ProfileRuleBreach] {
        guard payload[PropertyKey.payloadType.rawValue] == .string(Payload.Kind.homeScreen.rawValue),
            case .array(let tiles)? = payload[PropertyKey.tiles.rawValue]
        else { return [] }
        var identifier: String?
        if case .string(let text)? = payload[PropertyKey.payloadIdentifier.rawValue] { identifier = text }
        let known = Set(tileKeys.map(\.rawValue))
        return tiles.flatMap { tile -> [String] in
            if case .dictionary(let members) = tile { members.keys.filter { !known.contains($0) }.sorted() } else { [] }
        }.map { ProfileRuleBreach(in: identifier, "\($0) is not a key of a tile") }
    }
}

/// A home screen must be able to show the texts.
enum HomeScreenTexts: HomeScreenValueRule {
    static let code = ProfileFinding.Code.homeScreenText
    static let problem = HomeConfigurationFailure.Code.text
}

/// The logo and the icons must be images that a browser can show.
enum HomeScreenImages: HomeScreenValueRule {
    static let code = ProfileFinding.Code.homeScreenImage
    static let problem = HomeConfigurationFailure.Code.image
}

/// The white text of a button must be readable on the organisation's colour.
enum HomeScreenColour: HomeScreenValueRule {
    static let code = ProfileFinding.Code.homeScreenColour
    static let source = "Baton; WCAG 2.2, success criterion 1.4.3"
    static let problem = HomeConfigurationFailure.Code.colour
}

/// The preferred domain must be a domain name.
enum HomeScreenDomain: HomeScreenValueRule {
    static let code = ProfileFinding.Code.homeScreenDomain
    static let source = "Baton; RFC 1123 section 2.1"
    static let problem = HomeConfigurationFailure.Code.domain
}

/// A tile must open either a page or a program.
enum HomeScreenTiles: HomeScreenValueRule {
    static let code = ProfileFinding.Code.homeScreenTile
    static let problem = HomeConfigurationFailure.Code.tile
}

/// The tiles must fit on a screen, and the payload must fit into a profile.
enum HomeScreenSize: HomeScreenValueRule {
    static let code = ProfileFinding.Code.homeScreenSize
    static let problem = HomeConfigurationFailure.Code.size
}

/// A rule about the values of a home screen payload.
protocol HomeScreenValueRule: ProfileRule<LintedProfile> {
    /// The problem that breaches the rule.
    static var problem: HomeConfigurationFailure.Code { get }
}

extension HomeScreenValueRule {
    package static var source: String { "Baton" }
    package static var remedy: String { problem.remedy }

    package static func breaches(in subject: LintedProfile) -> [ProfileRuleBreach] {
        subject.homeScreens.flatMap { entry in
            entry.homeScreen.problems.filter { $0.code == problem }.map {
                ProfileRuleBreach(in: entry.identifier, $0.inPayload)
            }
        }
    }
}

extension LintedProfile {
    /// The home screen payloads, each with its identifier.
    fileprivate var homeScreens: [(identifier: String, homeScreen: HomeScreenPayload)] {
        profile.payloads.compactMap { payload in
            if case .homeScreen(let homeScreen) = payload.content { (payload.identifier, homeScreen) } else { nil }
        }
    }
}
