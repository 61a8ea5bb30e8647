import Core

/// One page of the answer to a pull.
public struct CareAnswer: Sendable, Hashable {
    /// The revisions, in causal order.
    public var revisions: [CareRevision]
    /// The knowledge of the server. It is valid with the last page only.
    public var knowledgeVector: KnowledgeVector
    /// The position of the next page; nil on the last page.
    public var next: String?

    /// Creates a page.
    public init(revisions: [CareRevision], knowledgeVector: KnowledgeVector, next: String?) {
        self.revisions = revisions
        self.knowledgeVector = knowledgeVector
        self.next = next
    }

    /// Reads `{"revisions","knowledgeVector","next"}`.
    ///
    /// - Throws: ``CarePlanError`` with the path of the member.
    public init(_ json: JSON) throws(CarePlanError) {
        guard let array = json["revisions"]?.array else { throw CarePlanError(.entityInvalid, at: "$.revisions") }
        revisions = []
        for (index, element) in array.enumerated() {
            do throws(CarePlanError) {
                revisions.append(try CareRevision(element))
            } catch {
                throw CarePlanError(error.reason, at: "$.revisions[\(index)]" + error.location.dropFirst())
            }
        }
        guard let vector = json["knowledgeVector"] else { throw CarePlanError(.vectorInvalid, at: "$.knowledgeVector") }
        knowledgeVector = try KnowledgeVector(vector)
        next = json["next"]?.string
    }

    /// `{"revisions","knowledgeVector","next"}`.
    public var json: JSON {
        [
            "revisions": .array(revisions.map(\.json)), "knowledgeVector": knowledgeVector.json,
            "next": next.map { .string($0) } ?? .null,
        ]
    }
}
