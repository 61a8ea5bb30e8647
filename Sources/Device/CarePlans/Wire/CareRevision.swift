import Core
import Foundation

/// Versions that one copy of a care plan made, with its knowledge when it made them (CareKit: `OCKRevisionRecord`).
public struct CareRevision: Sendable, Hashable {
    /// The versions.
    public var entities: [CareEntity]
    /// The knowledge of the copy when it made the versions.
    public var knowledgeVector: KnowledgeVector

    /// Creates a revision.
    public init(_ entities: [CareEntity], knowledgeVector: KnowledgeVector) {
        self.entities = entities
        self.knowledgeVector = knowledgeVector
    }

    /// Reads `{"entities":[{"type","object"}],"knowledgeVector"}`.
    ///
    /// - Throws: ``CarePlanError`` with the path of the member, from the root of the revision.
    public init(_ json: JSON) throws(CarePlanError) {
        guard let array = json["entities"]?.array else { throw CarePlanError(.entityInvalid, at: "$.entities") }
        entities = []
        for (index, element) in array.enumerated() {
            do throws(CarePlanError) {
                entities.append(try CareEntity(element))
            } catch {
                throw CarePlanError(error.reason, at: "$.entities[\(index)]" + error.location.dropFirst())
            }
        }
        guard let vector = json["knowledgeVector"] else { throw CarePlanError(.vectorInvalid, at: "$.knowledgeVector") }
        knowledgeVector = try KnowledgeVector(vector)
    }

    /// `{"entities":[{"type","object"}],"knowledgeVector"}`.
    public var json: JSON {
        ["entities": .array(entities.map(\.json)), "knowledgeVector": knowledgeVector.json]
    }
}
