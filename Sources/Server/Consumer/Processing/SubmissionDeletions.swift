import FHIR
import Foundation

/// The resources that a submission asks to be deleted: a transaction Bundle with nothing but `DELETE Observation/ID`
/// (<https://hl7.org/fhir/R4/http.html#transaction>).
///
/// What a phone's health data no longer holds goes from the records and the warehouse too. Such a Bundle travels alone, since
/// it is taken where data is not: after a withdrawal, and while something that may be one waits to be understood.
enum SubmissionDeletions {
    /// The type of which devices delete: what people answered and signed stays.
    static let type = Observation.resourceType

    /// Whether a document is a Bundle: nothing else that is one is taken.
    static func isMeant(by document: ParsedDocument) -> Bool {
        document.resource.resourceType == FHIR.Bundle.resourceType
    }

    /// The ids of the Observations, each once, in their order.
    ///
    /// - Throws: ``SubmissionProblem``.
    static func ids(in documents: [ParsedDocument], atMost most: Int) throws(SubmissionProblem) -> [String] {
        guard documents.allSatisfy(isMeant) else {
            throw SubmissionProblem(
                "deletions-mixed", "Deletions come in a submission of their own, without resources beside them.")
        }
        var ids: [String] = []
        var known: Set<String> = []
        for document in documents {
            for id in try self.ids(in: FHIR.Bundle(document.resource.object), atMost: most - ids.count)
            where known.insert(id).inserted {
                ids.append(id)
            }
        }
        return ids
    }

    private static func ids(in bundle: FHIR.Bundle, atMost most: Int) throws(SubmissionProblem) -> [String] {
        guard bundle.type == .transaction, !bundle.entry.isEmpty else { throw notTaken }
        guard bundle.entry.count <= most else {
            throw SubmissionProblem("batch-too-large", "The submission asks for more deletions than are taken at once.")
        }
        var ids: [String] = []
        for entry in bundle.entry {
            guard entry.resource == nil, let request = entry.request, request.method == .delete,
                request.ifMatch == nil, let path = request.url?.split(separator: "/", omittingEmptySubsequences: false),
                path.count == 2, path[0] == type, Resource.isID(String(path[1]))
            else { throw notTaken }
            ids.append(String(path[1]))
        }
        return ids
    }

    private static let notTaken = SubmissionProblem(
        "bundle-not-taken",
        "Of Bundles only a transaction is taken that holds nothing but DELETE Observation/ID.")
}
