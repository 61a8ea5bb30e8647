import Core
import Foundation
import ResearchResults

extension AccountClient {
    /// Saves a result (CMHealth: `cmh_saveToStudyWithDescriptor:`). A result of the account with the same `taskRunUUID` is
    /// replaced, whatever its descriptor.
    ///
    /// If the answer is lost, the result may be saved; saving it again does no harm.
    ///
    /// - Throws: as ``AccountClient`` describes; 805 if the answer is neither `created` nor `updated`.
    @discardableResult
    public func save(_ result: ResearchResult) async throws -> ResultStatus {
        let response = try await send(
            AccountRequest(
                "PUT", path: "results/\(result.id)", query: [("descriptor", result.descriptor)], json: result.json,
                kind: .result))
        guard let status = try json(response)["status"]?.string.flatMap({ ResultStatus(rawValue: $0) }) else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        return status
    }

    /// The results that match a filter, page by page (CMHealth: `cmh_fetchUserResultsForStudyWithDescriptor:`,
    /// `…WithIdentifier:`, `…WithQuery:`). An unused descriptor has no results, which is not an error.
    ///
    /// ```swift
    /// let filter = try ResultFilter(descriptor: "sleep", conditions: ["results.results.scaleAnswer ge 7"])
    /// for row in try await client.results(matching: filter).all() { show(row.result) }
    /// ```
    /// - Parameter filter: the filter; nil for all results.
    public nonisolated func results(matching filter: ResultFilter? = nil) -> AccountPages<[SavedResult]> {
        pages(of: "results", query: filter?.parameters ?? [], member: "results", kind: .result) {
            SavedResult(json: $0)
        }
    }

    /// Reads the result of a run (CMHealth: `cmh_fetchUserResultsWithRunUUID:`); nil if there is none.
    ///
    /// - Returns: the JSON of the result as it was saved.
    public func result(runUUID: UUID) async throws -> JSON? {
        let response = try await send(
            AccountRequest("GET", path: "results/\(runUUID.lowercaseText)", kind: .result, passing: [404]))
        guard response.status != 404 else { return Optional<JSON>.none }
        return try json(response)
    }
}
