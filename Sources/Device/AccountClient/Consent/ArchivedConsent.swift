import Core
import ResearchResults

/// A consent in the archive of an account. Its files are named by their digests.
public struct ArchivedConsent: Sendable, Hashable {
    /// The id.
    public let id: String
    /// The name of the study; empty for none.
    public let descriptor: String
    /// The time of the upload.
    public let at: DateTime
    /// The digest of the task result.
    public let result: BlobDigest
    /// The digest of the image of the signature.
    public let signature: BlobDigest
    /// The digest of the document (PDF); nil if it was not uploaded yet.
    public let document: BlobDigest?
    /// The time of the withdrawal; nil while the consent is in force.
    public let withdrawn: DateTime?
    /// The consent as the server sent it.
    public let json: JSON

    /// Reads a consent; nil if it is none.
    init?(json: JSON) {
        guard let id = json["id"]?.string, AccountText.isID(id), let at = json["at"]?.string.flatMap({ DateTime($0) }),
            let result = json["result"]?.string.flatMap({ BlobDigest($0) }),
            let signature = json["signature"]?.string.flatMap({ BlobDigest($0) })
        else { return nil }
        let texts = ["document", "withdrawn"].map { json.present($0) }
        document = texts[0]?.string.flatMap { BlobDigest($0) }
        withdrawn = texts[1]?.string.flatMap { DateTime($0) }
        guard (texts[0] == nil) == (document == nil), (texts[1] == nil) == (withdrawn == nil) else { return nil }
        (self.id, self.at, self.result, self.signature, self.json) = (id, at, result, signature, json)
        descriptor = json["descriptor"]?.string ?? ""
    }
}
