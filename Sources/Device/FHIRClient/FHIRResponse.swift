import Core
import FHIR
import Foundation

/// A response of a FHIR server.
///
/// ```swift
/// let answer = try await server.send("GET", path: "metadata")
/// print(answer.status, answer.retryAfter ?? 0)
/// ```
public struct FHIRResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The header fields, names in lower case.
    public let headers: [String: String]
    /// The body; nil if it is no JSON, or larger than the limit.
    public let json: JSON?
    /// The delay in seconds that the server asked for (`Retry-After`), 0 to a day.
    public let retryAfter: Double?
    /// Whether the body has more bytes than the limit.
    public let isTooLarge: Bool

    init(_ response: TransportResponse, limits: FHIRClientLimits, now: Date) {
        status = response.status
        headers = response.headers
        isTooLarge = response.body.count > limits.answerBytes
        json = isTooLarge ? nil : JSON(reading: response.body)
        retryAfter = response.retryAfter(now: now)
    }

    /// Whether the status is one of success: 200 to 299.
    public var isSuccess: Bool { 200..<300 ~= status }

    /// The version of the resource, from `ETag` or `meta.versionId`; nil if the server reports none.
    public var version: String? { headers["etag"].flatMap(Self.version) ?? json?["meta"]?["versionId"]?.string }

    /// Returns the version in a weak or strong `ETag`.
    static func version(in tag: String) -> String? {
        let text = tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
        return text.count > 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
            ? String(text.dropFirst().dropLast()) : nil
    }

    /// Returns the resource of a successful answer.
    ///
    /// ```swift
    /// let bundle = try await server.send("GET", path: "Patient/p1/$everything").resource(FHIR.Bundle.self)
    /// ```
    /// - Throws: ``FHIRClientError``: as for ``check()``; `answer-too-large`; `answer-invalid` if the body is no
    ///   resource; `answer-type-mismatch` if it has another type.
    public func resource<View: ResourceView>(_ type: View.Type = View.self) throws(FHIRClientError) -> View {
        try check()
        guard !isTooLarge else { throw error(.answerTooLarge) }
        guard let object = json?.object, let name = object["resourceType"]?.string, ResourceName.isType(name) else {
            throw error(.answerInvalid)
        }
        guard let view = View(Resource(object)) else { throw error(.answerTypeMismatch) }
        return view
    }

    /// Throws the error of an answer without success.
    ///
    /// ```swift
    /// try await server.send("POST", path: "$reindex").check()
    /// ```
    /// - Throws: ``FHIRClientError`` with the codes of the server's OperationOutcome.
    public func check() throws(FHIRClientError) {
        guard !isSuccess else { return }
        throw error(FHIRClientError.Reason(status: status))
    }

    func error(_ reason: FHIRClientError.Reason) -> FHIRClientError {
        let outcome = isSuccess ? nil : json?.object.flatMap { OperationOutcome(Resource($0)) }
        return FHIRClientError(reason, status: status, retryAfter: retryAfter, outcome: outcome)
    }
}
