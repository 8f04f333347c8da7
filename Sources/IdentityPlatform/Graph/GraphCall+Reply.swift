// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import OAuth
internal import Storage

extension GraphCall {
    /// Returns a response with one object. If the client already has the object, returns 304 with only the object's tag
    /// (RFC 9110 section 13.1.2).
    ///
    /// - Throws: ``GraphError``, ``OAuthError``
    func show<Item>(
        _ kind: GraphKind<Item>, _ item: Item, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let query = try ODataQuery(try request.queryParameters(), allowing: ODataQuery.ofObjects)
        let properties = try kind.properties(selected: query.select)
        let tag = kind.entityTag(item)
        if let known = request.headers[.ifNoneMatch].map(EntityTags.init), known.name(tag) {
            return Response(status: .notModified, headers: [.eTag: tag])
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.set(.context, contextAddress(kind, properties, for: query) + "/$entity")
        kind.write(item, properties, to: &writer)
        writer.endObject()
        var response = Response(status: status, json: writer.bytes)
        response.headers[.eTag] = tag
        return response
    }

    /// Returns a response with one page of a list, and the URL of the next page if there is one.
    ///
    /// - Throws: ``GraphError``, ``OAuthError``, ``StorageError``
    func list<Item>(_ kind: GraphKind<Item>, _ list: GraphList<Item>) async throws -> Response {
        let parameters = try request.queryParameters()
        let query = try ODataQuery(parameters, allowing: ODataQuery.ofLists)
        let properties = try kind.properties(selected: query.select)
        let filter = try kind.filter(query.filter)
        let pageToken = GraphPageToken(self, filter: parameters[ODataQuery.Option.filter] ?? "")
        var after: String?
        if let text = query.pageToken { after = try pageToken.opened(text) }
        // One item more than the page holds is requested, to find out whether there is a next page.
        let page = GraphPage(
            condition: filter.condition, matches: filter.matches, after: after, limit: query.top + 1)
        let (items, count) = try await directory.database.read { connection in
            (try list.items(page, connection), query.wantsCount ? try list.count(page, connection) : nil)
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.set(.context, contextAddress(kind, properties, for: query))
        if let count {
            writer.append(name: GraphName.count.rawValue)
            writer.append(count)
        }
        if items.count > query.top, let last = items.prefix(query.top).last {
            writer.set(.nextLink, try nextAddress(parameters, try pageToken.sealed(kind.key(last))))
        }
        writer.append(name: GraphName.value.rawValue)
        writer.beginList()
        for item in items.prefix(query.top) {
            writer.beginObject()
            kind.write(item, properties, to: &writer)
            writer.endObject()
        }
        writer.endList()
        writer.endObject()
        return Response(json: writer.bytes)
    }

    /// Returns a response with an object that has no ``GraphKind``.
    func answer(_ context: String, _ members: [String: JSONValue]) -> Response {
        let name = JSONValue.string("\(origin)/v1.0/$metadata#\(context)")
        return Response(json: JSONWriter.write(.object(members.merging([GraphName.context.rawValue: name]) { $1 })))
    }

    private var origin: String {
        let names = directory.configuration.names
        return names.origin(of: names.graph)
    }

    private func contextAddress<Item>(
        _ kind: GraphKind<Item>, _ properties: [GraphProperty<Item>], for query: ODataQuery
    ) -> String {
        let suffix = query.select.map { _ in "(\(properties.map(\.name).joined(separator: ",")))" } ?? ""
        return "\(origin)/v1.0/$metadata#\(kind.collection)\(suffix)"
    }

    private func nextAddress(_ parameters: FormParameters, _ token: String) throws -> String {
        var next = FormParameters()
        for option in ODataQuery.Option.allCases where option != .pageToken { next.append(option, parameters[option]) }
        next.append(ODataQuery.Option.pageToken, token)
        return "\(origin)\(request.ownPath)?\(next.encoded)"
    }
}
