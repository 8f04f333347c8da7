// SPDX-License-Identifier: Apache-2.0
internal import NIOHTTP1

/// The link to the next page of a list (`Link`, RFC 8288).
enum NextLink {
    /// Returns the target of the link with `rel="next"`; nil if there is none.
    static func target(in headers: HTTPHeaders) -> String? {
        for field in headers["Link"] {
            for link in field.matches(of: /<([^>]*)>([^<]*)/) {
                let (target, parameters) = (link.output.1, link.output.2)
                let isNext = parameters.split(separator: ";").contains { parameter in
                    let words = parameter.lowercased().filter { !" \t,\"".contains($0) }
                    return words == "rel=next"
                }
                if isNext { return String(target) }
            }
        }
        return nil
    }
}
