import Admission
import FHIR
import Foundation

/// Deletions in a submission: a transaction Bundle that contains only `DELETE Observation/ID`
/// (<https://hl7.org/fhir/R4/http.html#transaction>).
///
/// Data that a phone's health store no longer contains is deleted from the records and the warehouse too. Such a Bundle
/// is sent by itself, because it is admitted when data is not: after a withdrawal, and while a possible withdrawal is
/// not understood.
enum SubmissionDeletions {
    /// Type that devices may delete; answers and signed documents are retained.
    static let type = Observation.resourceType

    /// Whether a document is a Bundle; only deletions may be Bundles.
    static func isMeant(by document: ParsedDocument) -> Bool {
        document.resource.resourceType == FHIR.Bundle.resourceType
    }

    /// Returns the ids of the Observations in order, without duplicates.
    ///
    /// - Throws: ``SubmissionProblem``.
    static func ids(in documents: [ParsedDocument], limit: Int) throws(SubmissionProblem) -> [String] {
        guard documents.allSatisfy(isMeant) else {
            throw SubmissionProblem(
                "deletions-mixed", "Deletions must be in a submission of their own, without other resources.")
        }
        var ids: [String] = []
        var known: Set<String> = []
        for document in documents {
            for id in try self.ids(in: FHIR.Bundle(document.resource.object), limit: limit - ids.count)
            where known.insert(id).inserted {
                ids.append(id)
            }
        }
        return ids
    }

    private static func ids(in bundle: FHIR.Bundle, limit: Int) throws(SubmissionProblem) -> [String] {
        guard bundle.type == .transaction, !bundle.entry.isEmpty else { throw notAccepted }
        guard bundle.entry.count <= limit else {
            throw SubmissionProblem("batch-too-large", "The submission has more deletions than are accepted at once.")
        }
        var ids: [String] = []
        for entry in bundle.entry {
            guard entry.resource == nil, let request = entry.request, request.method == .delete,
                request.ifMatch == nil, let path = request.url?.split(separator: "/", omittingEmptySubsequences: false),
                path.count == 2, path[0] == type, Resource.isID(String(path[1]))
            else { throw notAccepted }
            ids.append(String(path[1]))
        }
        return ids
    }

    private static let notAccepted = SubmissionProblem(
        "bundle-not-taken",
        "Of Bundles only a transaction is taken that holds nothing but DELETE Observation/ID.")
}
