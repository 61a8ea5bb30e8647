import CarePlans
import Core
import Foundation

/// A push whose versions are in causal order.
struct CarePush: Sendable {
    let entries: [CausalOrder.Entry]
    /// The knowledge of the sending copy, with that of all revisions.
    let knowledge: KnowledgeVector
    let patient: String
    let actor: String
    let session: String?

    /// - Throws: ``CarePlanError`` `version-cycle`; ``CareLogError`` `entity-invalid`.
    init(
        _ revisions: [CareRevision], knowledge: KnowledgeVector, patient: String, actor: String, session: String?
    ) throws {
        entries = try CausalOrder.sort(revisions)
        var merged = knowledge
        for revision in revisions { merged.merge(revision.knowledgeVector) }
        self.knowledge = merged
        self.patient = patient
        self.actor = actor
        self.session = session
        for entry in entries where entry.entity.id.utf8.contains(0) {
            throw CareLogError.idInvalid(entry.entity.uuid.uuidString)
        }
    }
}
