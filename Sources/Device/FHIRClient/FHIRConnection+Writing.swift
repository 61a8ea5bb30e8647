import Core
import FHIR

/// The result of a successful write.
///
/// ```swift
/// let written = try await server.create(reading)
/// print(written.id ?? "", written.version ?? "", written.isCreated)
/// ```
public struct FHIRWriteResult<View: ResourceView>: Sendable {
    /// The id of the resource on the server; nil if the server does not report it.
    public let id: String?
    /// The version for a later `ifMatch`; nil if the server does not report it.
    public let version: String?
    /// Whether the write created the resource. A conditional create may find an existing one.
    public let isCreated: Bool
    /// The resource as the server stores it; nil if the server does not return it.
    public let resource: View?

    init(_ response: FHIRResponse, type: String) {
        // The write succeeded, so a body that cannot be read is no error.
        let resource = try? response.resource(View.self)
        let location = FHIRLocation(response.headers["location"], type: type)
        self.resource = resource
        id = resource?.id ?? location?.id
        version =
            response.headers["etag"].flatMap(FHIRResponse.version) ?? resource?.meta?.versionId ?? location?.version
        isCreated = response.status == 201
    }
}

/// The id and the version in a `Location`: `[base]/Patient/p1/_history/3`.
struct FHIRLocation {
    let id: String
    let version: String?

    init?(_ text: String?, type: String) {
        guard let parts = text?.split(separator: "/").map(String.init), let index = parts.lastIndex(of: type),
            index + 1 < parts.count, ResourceName.isID(parts[index + 1])
        else { return nil }
        id = parts[index + 1]
        let hasVersion =
            index + 3 < parts.count && parts[index + 2] == "_history" && ResourceName.isID(parts[index + 3])
        version = hasVersion ? parts[index + 3] : nil
    }
}

extension FHIRConnection {
    /// Creates a resource. The server assigns its id.
    ///
    /// ```swift
    /// let written = try await server.create(reading, ifNoneExist: ["identifier": "urn:example|42"])
    /// ```
    /// - Parameter ifNoneExist: a query; if one resource matches it, that one is the result, and nothing is created.
    /// - Throws: ``FHIRClientError``: `version-conflict` if several resources match the query, `request-refused` and
    ///   others; errors of the transport and the token, after which the resource may exist.
    @discardableResult
    public func create<View: ResourceView>(
        _ resource: View, ifNoneExist: FHIRQuery? = nil
    ) async throws -> FHIRWriteResult<View> {
        let type = resource.resourceType
        guard ResourceName.isType(type) else { throw FHIRClientError(.requestInvalid) }
        let response = try await send(
            "POST", path: type, body: resource.json, headers: ifNoneExist.map { ["If-None-Exist": $0.text] } ?? [:])
        try response.check()
        return FHIRWriteResult(response, type: type)
    }

    /// Writes a resource under its id: changes it, or creates it if the server allows clients to assign ids.
    ///
    /// ```swift
    /// patient.active = false
    /// try await server.update(patient, ifMatch: patient.meta?.versionId)
    /// ```
    /// - Parameter ifMatch: the version that the change is based on; with another one on the server nothing is
    ///   changed. nil writes in any case.
    /// - Throws: ``FHIRClientError``: `version-conflict`, `request-refused` and others; errors of the transport and the
    ///   token, after which the change may have been made.
    @discardableResult
    public func update<View: ResourceView>(
        _ resource: View, ifMatch: String? = nil
    ) async throws -> FHIRWriteResult<View> {
        let path = try Self.path(resource.resourceType, id: resource.id ?? "")
        let response = try await send("PUT", path: path, body: resource.json, headers: try Self.matching(ifMatch))
        try response.check()
        return FHIRWriteResult(response, type: resource.resourceType)
    }

    /// Deletes a resource.
    ///
    /// ```swift
    /// try await server.delete(Observation.self, id: "o1", ifMatch: "2")
    /// ```
    /// - Parameter ifMatch: as for ``update(_:ifMatch:)``.
    /// - Throws: as for ``update(_:ifMatch:)``. Some servers report an absent resource as `not-found` or `gone`.
    public func delete<View: ResourceView>(_ type: View.Type, id: String, ifMatch: String? = nil) async throws {
        let path = try Self.path(View.resourceType, id: id)
        try await send("DELETE", path: path, headers: try Self.matching(ifMatch)).check()
    }

    private static func matching(_ version: String?) throws(FHIRClientError) -> [String: String] {
        guard let version else { return [:] }
        guard ResourceName.isID(version) else { throw FHIRClientError(.requestInvalid) }
        return ["If-Match": "W/\"\(version)\""]
    }
}
