import Core
import FHIR

/// One request of a transaction or a batch.
///
/// ```swift
/// let entries: [FHIRRequestEntry] = [
///     .create(patient, fullURL: "urn:uuid:0c6a1f2e-8d4c-4f0a-9d5e-7b1f0c2a3e4d"),
///     .update(device), .delete(Observation.self, id: "o1"),
/// ]
/// ```
public struct FHIRRequestEntry: Sendable, Hashable {
    /// The resource type of the request.
    let type: String
    /// The entry of the Bundle; nil if the request has no valid type, id or version.
    let json: JSON?

    /// Creates a resource; the server assigns its id.
    ///
    /// ```swift
    /// .create(reading, ifNoneExist: ["identifier": "urn:example|42"])
    /// ```
    /// - Parameters:
    ///   - fullURL: a `urn:uuid:` by which other entries refer to the new resource.
    ///   - ifNoneExist: as for ``FHIRConnection/create(_:ifNoneExist:)``.
    public static func create(
        _ resource: some ResourceView, fullURL: String? = nil, ifNoneExist: FHIRQuery? = nil
    ) -> FHIRRequestEntry {
        let type = resource.resourceType
        var request: JSON = ["method": "POST", "url": .string(type)]
        if let ifNoneExist { request["ifNoneExist"] = .string(ifNoneExist.text) }
        var entry: JSON = [:]
        if let fullURL { entry["fullUrl"] = .string(fullURL) }
        entry["resource"] = resource.json
        entry["request"] = request
        return FHIRRequestEntry(type: type, json: ResourceName.isType(type) ? entry : JSON?.none)
    }

    /// Writes a resource under its id.
    ///
    /// ```swift
    /// .update(patient, ifMatch: "3")
    /// ```
    public static func update(_ resource: some ResourceView, ifMatch: String? = nil) -> FHIRRequestEntry {
        entry("PUT", resource.resourceType, id: resource.id ?? "", ifMatch: ifMatch) {
            $0["resource"] = resource.json
        }
    }

    /// Deletes a resource.
    ///
    /// ```swift
    /// .delete(Observation.self, id: "o1")
    /// ```
    public static func delete<View: ResourceView>(
        _ type: View.Type, id: String, ifMatch: String? = nil
    ) -> FHIRRequestEntry {
        entry("DELETE", View.resourceType, id: id, ifMatch: ifMatch)
    }

    /// Reads a resource.
    ///
    /// ```swift
    /// .read(Patient.self, id: "p1")
    /// ```
    public static func read<View: ResourceView>(_ type: View.Type, id: String) -> FHIRRequestEntry {
        entry("GET", View.resourceType, id: id, ifMatch: nil)
    }

    private static func entry(
        _ method: String, _ type: String, id: String, ifMatch: String?, adding: (inout JSON) -> Void = { _ in }
    ) -> FHIRRequestEntry {
        var request: JSON = ["method": .string(method), "url": .string(type + "/" + id)]
        if let ifMatch { request["ifMatch"] = .string("W/\"\(ifMatch)\"") }
        var entry: JSON = [:]
        adding(&entry)
        entry["request"] = request
        let isValid =
            ResourceName.isType(type) && ResourceName.isID(id) && ifMatch.map { ResourceName.isID($0) } ?? true
        return FHIRRequestEntry(type: type, json: isValid ? entry : JSON?.none)
    }
}

/// The server's answer to one request of a transaction or a batch.
///
/// ```swift
/// for result in try await server.batch(entries) {
///     if let error = result.error { print(error.code) } else { print(result.id ?? "") }
/// }
/// ```
public struct FHIREntryResult: Sendable {
    /// The HTTP status; 0 if the server reports none.
    public let status: Int
    /// The id of the resource; nil if the server does not report it.
    public let id: String?
    /// The version of the resource; nil if the server does not report it.
    public let version: String?
    /// The resource; nil if the server does not return it.
    public let resource: Resource?
    /// The error of the request; nil if it succeeded.
    public let error: FHIRClientError?

    init(_ entry: JSON, type: String) {
        let response = entry["response"]
        let status = response?["status"]?.string.flatMap { Int($0.prefix(3)) } ?? 0
        let location = FHIRLocation(response?["location"]?.string, type: type)
        let resource = entry["resource"]?.object.map { Resource($0) }
        self.status = status
        self.resource = resource
        id = resource?.id ?? location?.id
        version =
            response?["etag"]?.string.flatMap(FHIRResponse.version) ?? location?.version
            ?? resource?.meta?.versionId
        let outcome = (response?["outcome"] ?? entry["resource"])?.object.flatMap { OperationOutcome(Resource($0)) }
        error =
            200..<300 ~= status
            ? nil : FHIRClientError(FHIRClientError.Reason(status: status), status: status, outcome: outcome)
    }
}

extension FHIRConnection {
    /// Sends requests that the server performs all or none (<https://hl7.org/fhir/R4/http.html#transaction>).
    ///
    /// ```swift
    /// try await server.transaction([.create(patient, fullURL: urn), .create(reading)])
    /// ```
    /// - Returns: the results, in the order of the requests.
    /// - Throws: ``FHIRClientError``: `request-invalid` if an entry has no valid type or id, then nothing is sent;
    ///   `request-refused` and others, then nothing is changed; `answer-invalid` if the answer has another number of
    ///   results, then the changes may have been made. Errors of the transport and the token.
    @discardableResult
    public func transaction(_ entries: [FHIRRequestEntry]) async throws -> [FHIREntryResult] {
        try await perform(entries, as: "transaction")
    }

    /// Sends requests that the server performs independently of each other.
    ///
    /// ```swift
    /// let results = try await server.batch([.read(Patient.self, id: "p1"), .read(Patient.self, id: "p2")])
    /// ```
    /// - Returns: the results, in the order of the requests. Each one has its own ``FHIREntryResult/error``.
    /// - Throws: as for ``transaction(_:)``.
    public func batch(_ entries: [FHIRRequestEntry]) async throws -> [FHIREntryResult] {
        try await perform(entries, as: "batch")
    }

    private func perform(_ entries: [FHIRRequestEntry], as type: String) async throws -> [FHIREntryResult] {
        let requests = entries.compactMap(\.json)
        guard requests.count == entries.count else { throw FHIRClientError(.requestInvalid) }
        guard !entries.isEmpty else { return [] }
        let body: JSON = ["resourceType": "Bundle", "type": .string(type), "entry": .array(requests)]
        let response = try await send("POST", path: "", body: body)
        let answers = try response.resource(FHIR.Bundle.self).json["entry"]?.array ?? []
        guard answers.count == entries.count else { throw response.error(.answerInvalid) }
        return zip(answers, entries).map { FHIREntryResult($0, type: $1.type) }
    }
}
