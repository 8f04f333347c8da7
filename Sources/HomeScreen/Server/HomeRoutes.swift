// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import MDMProtocol
internal import NIOCore
internal import Processes
internal import WebPages

/// The addresses of the home screen's page.
///
/// | request | answer |
/// |---|---|
/// | `GET /`, `/home.css`, `/home.js` | the page |
/// | `GET /logo`, `/icons/<number of a tile>` | the images of the configuration |
/// | `GET /view?language=&after=` | the view (JSON), as soon as there were more changes than `after`; after 25 seconds at the latest |
/// | `POST /touch/<name>?language=`, `/tiles/<number of a tile>` | 204; the person touched a button or a tile |
/// | `POST /activity` | 204; the person is active |
struct HomeRoutes: Sendable {
    let controller: HomeController
    let page: HomePage
    let texts: Texts<HomeText>
    let contents: HomeContents
    /// The language of the device, for a person who has not chosen a language.
    let language: Language
    /// The tag (BCP 47) for formatting times in the device's language as the device does, such as `en-GB`.
    let locale: String
    let deviceName: String
    let presence: PagePresence

    /// How long a request for the next view may wait.
    private static let patience = Duration.seconds(25)

    init(
        controller: HomeController, page: HomePage, texts: Texts<HomeText>, contents: HomeContents,
        presence: PagePresence, locale: HomeLocale, deviceName: String
    ) {
        self.presence = presence
        (language, self.locale) = (locale.language, locale.tag)
        (self.controller, self.page, self.texts) = (controller, page, texts)
        (self.contents, self.deviceName) = (contents, deviceName)
    }

    var router: Router<HomeContext> {
        let router = Router(context: HomeContext.self)
        router.add(middleware: OwnBrowserOnly())
        router.get("/") { _, _ in page.document(language) }
        router.get("/home.css") { _, _ in page.stylesheet(contents.current.configuration.colour) }
        router.get("/home.js") { _, _ in page.script }
        router.get("/favicon.ico") { _, _ in Response(status: .noContent) }
        router.get("/logo") { _, _ in try image(contents.current.logo) }
        router.get("/icons/{number}") { _, context in
            try image(contents.current.icons[try context.parameters.require("number", as: Int.self)])
        }
        router.get("/view") { request, context in try await view(request, context) }
        router.post("/touch/{name}") { request, context in try await touch(request, context) }
        router.post("/tiles/{number}") { _, context in
            let number = try context.parameters.require("number", as: Int.self)
            guard contents.current.tiles.contains(number) else { throw HTTPError(.notFound) }
            await controller.handle(.tileTouched(number))
            return Response(status: .noContent)
        }
        router.post("/activity") { _, _ in
            await controller.handle(.stillHereTouched)
            return Response(status: .noContent)
        }
        return router
    }

    private func image(_ image: PageImage?) throws -> Response {
        guard let image else { throw HTTPError(.notFound) }
        return page.response(image.bytes, mediaType: image.mediaType)
    }

    private func touch(_ request: Request, _ context: HomeContext) async throws -> Response {
        let name = try context.parameters.require("name")
        guard let touch = HomeView.Touch(rawValue: name) else { throw HTTPError(.notFound) }
        switch touch {
        case .signIn: await controller.handle(.signInTouched(chosen(request)))
        case .cancel: await controller.handle(.cancelTouched)
        case .handover: await controller.handle(.handoverTouched)
        case .stillHere: await controller.handle(.stillHereTouched)
        }
        return Response(status: .noContent)
    }

    /// Returns the language that the person chose, or the language of the device.
    private func chosen(_ request: Request) -> Language {
        request.uri.queryParameters["language"].flatMap { Language(tag: $0) } ?? language
    }

    private func view(_ request: Request, _ context: HomeContext) async throws -> Response {
        let (query, language) = (request.uri.queryParameters, chosen(request))
        if let after = query["after"].flatMap({ UInt64($0) }) {
            guard let leave = presence.enter(await context.window) else { throw HTTPError(.serviceUnavailable) }
            defer { leave() }
            // Stops waiting if the page is closed.
            try await request.body.consumeWithCancellationOnInboundClose { _ in
                await withTaskGroup { group in
                    group.addTask { await controller.changes.beyond(after) }
                    group.addTask { try? await Task.sleep(for: Self.patience) }
                    await group.next()
                    group.cancelAll()
                }
            }
        }
        let (model, content, change) = await controller.current()
        let composer = HomeViewComposer(
            texts: texts, language: language, configuration: content.configuration,
            isLogoUnreadable: content.isLogoUnreadable, tiles: content.tiles, icons: Set(content.icons.keys))
        var view = composer.view(of: model)
        view.countDown(from: Int(BootClock.now().components.seconds))
        return page.json(
            Answer(
                change: change, content: content.number, view: view,
                locale: language == self.language ? locale : language.rawValue,
                organisation: content.configuration.organisation, hasLogo: content.logo != nil,
                device: model.deviceName ?? deviceName, labels: labels(language),
                languages: Language.allCases.map { Answer.Choice(tag: $0.rawValue, name: $0.ownName) }))
    }

    private func labels(_ language: Language) -> [String: String] {
        let keys: [HomeText] = [.pageTitle, .language, .lostScreen]
        return Dictionary(uniqueKeysWithValues: keys.map { ($0.rawValue, texts.text($0, in: language)) })
    }

    /// The answer to `/view`.
    private struct Answer: Encodable {
        struct Choice: Encodable {
            let tag: String
            let name: String
        }

        let change: UInt64
        /// The number of the content. It changes whenever the logo, an icon or the colour changes.
        let content: Int
        let view: HomeView
        let locale: String
        let organisation: String?
        let hasLogo: Bool
        let device: String
        let labels: [String: String]
        let languages: [Choice]
    }
}

extension HomeView {
    /// Replaces each deadline with the number of seconds left at `now`.
    fileprivate mutating func countDown(from now: Int) {
        countdowns = countdowns.map { $0.left(at: now) }
        idle = idle.map {
            Question(title: $0.title, countdown: $0.countdown.left(at: now), button: $0.button)
        }
    }
}

extension HomeView.Countdown {
    fileprivate func left(at now: Int) -> Self { Self(text: text, seconds: max(0, seconds - now)) }
}
