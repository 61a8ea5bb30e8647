import CarePlans
import Core

/// The caller's own copy, as the server needs to know it for an answer.
public enum CareCaller: String, Sendable, Hashable {
    /// CareKit's own store: the server answers with one version of each event.
    case careKit = "carekit"
    /// A ``CareStores`` store: it takes all versions.
    case phone
}

/// The care plan of one patient at a server. ``AccountCareServer`` is that of an account; tests have their own.
public protocol CareServer: Sendable {
    /// Returns one page of the revisions that a copy lacks.
    ///
    /// - Parameters:
    ///   - knowledge: the knowledge of the copy.
    ///   - page: the `next` of the page before; nil for the first page.
    ///   - caller: the kind of the copy.
    ///   - seconds: how long the server may wait for news, up to 30; 0 for an answer at once.
    func pull(since knowledge: KnowledgeVector, page: String?, for caller: CareCaller, wait seconds: Int) async throws
        -> CareAnswer

    /// Adds revisions to the plan. A repeated push gets the same answer.
    ///
    /// - Parameters:
    ///   - revisions: the revisions, in causal order.
    ///   - knowledge: the knowledge of the copy.
    /// - Returns: the knowledge of the server.
    func push(_ revisions: [CareRevision], knowledge: KnowledgeVector) async throws -> KnowledgeVector
}
