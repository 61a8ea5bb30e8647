import Core
import FHIR

extension FHIRConnection {
    /// Reads a resource by its id.
    ///
    /// ```swift
    /// let patient = try await server.read(Patient.self, id: "p1")
    /// ```
    /// - Throws: ``FHIRClientError``: `not-found`, `gone` and others; errors of the transport and the token.
    public func read<View: ResourceView>(_ type: View.Type, id: String) async throws -> View {
        let path = try Self.path(View.resourceType, id: id)
        return try await Self.resource(of: send("GET", path: path), id: id)
    }

    /// Reads one version of a resource.
    ///
    /// ```swift
    /// let before = try await server.read(Patient.self, id: "p1", version: "3")
    /// ```
    /// - Throws: as for the current version.
    public func read<View: ResourceView>(_ type: View.Type, id: String, version: String) async throws -> View {
        guard ResourceName.isID(version) else { throw FHIRClientError(.requestInvalid) }
        let path = try Self.path(View.resourceType, id: id) + "/_history/" + version
        return try await Self.resource(of: send("GET", path: path), id: id)
    }

    /// Reads the statement of what the server can do.
    ///
    /// ```swift
    /// let isR4 = try await server.capabilities().fhirVersion?.rawValue.hasPrefix("4.0") ?? false
    /// ```
    /// - Throws: as for ``read(_:id:)``.
    public func capabilities() async throws -> CapabilityStatement {
        try await send("GET", path: "metadata").resource(CapabilityStatement.self)
    }

    static func path(_ type: String, id: String) throws(FHIRClientError) -> String {
        guard ResourceName.isType(type), ResourceName.isID(id) else { throw FHIRClientError(.requestInvalid) }
        return type + "/" + id
    }

    /// Returns the resource if it has the id that was asked for: a cache on the way may answer with another one.
    private static func resource<View: ResourceView>(
        of response: FHIRResponse, id: String
    ) throws(FHIRClientError) -> View {
        let view = try response.resource(View.self)
        guard view.id == id else { throw response.error(.answerInvalid) }
        return view
    }
}
