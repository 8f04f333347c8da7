// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// The member names in Graph's JSON that do not belong to a particular kind of object.
enum GraphName: String, WireName {
    case context = "@odata.context"
    case count = "@odata.count"
    case entityTag = "@odata.etag"
    case objectID = "@odata.id"
    case nextLink = "@odata.nextLink"
    case type = "@odata.type"
    case clientRequestID = "client-request-id"
    case code, date, error, innerError, message, value
    case requestID = "request-id"
}
