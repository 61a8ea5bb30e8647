import Core

extension AccountClient {
    /// Posts JSON to the revisions of a patient's care plan (`patients/{id}/revisions`), and returns the JSON of the
    /// answer. `AccountCareServer` in CareStores has the forms of both.
    ///
    /// - Parameters:
    ///   - json: the body.
    ///   - patient: the id of the patient's account; one's own id for one's own plan.
    ///   - action: `pull` for a pull; nil for a push.
    /// - Throws: as ``AccountClient`` describes; 803 for a plan that the account may not read.
    public func post(_ json: JSON, toPlanOf patient: String, action: String? = nil) async throws -> JSON {
        let id = try segment(patient)
        let path = "patients/\(id)/revisions" + (action.map { "/" + $0 } ?? "")
        let response = try await send(
            AccountRequest("POST", path: path, json: json, kind: action == nil ? .save : .fetch))
        return try self.json(response)
    }

    /// Reads a view of a patient's care plan: `plan`, `events`, `adherence` or `fhir`.
    ///
    /// - Parameters:
    ///   - view: the last segment of the route.
    ///   - patient: the id of the patient's account; one's own id for one's own plan.
    ///   - query: the parameters, such as `from` and `to`.
    /// - Returns: the JSON of the answer: an object or an array.
    /// - Throws: as ``AccountClient`` describes; 803 for a plan that the account may not read.
    public func careView(
        _ view: String, ofPatient patient: String, query: [(name: String, value: String)] = []
    ) async throws -> JSON {
        let id = try segment(patient)
        let name = try segment(view)
        let response = try await send(
            AccountRequest("GET", path: "patients/\(id)/\(name)", query: query, kind: .fetch))
        guard let json = JSON(reading: response.body) else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        return json
    }
}
