import Core

/// A consent that may be uploaded: the task result, the image of the signature, and the document as PDF.
///
/// The files are uploaded separately. The upload names them by their digests. The document may follow later.
///
/// ```swift
/// let upload = try ConsentUpload(result: result.json, signature: digestOfImage, document: digestOfPDF)
/// let body = upload.json.data()
/// ```
public struct ConsentUpload: Sendable, Hashable {
    /// The task result, as read.
    public let result: JSON
    /// The signature in the result.
    public let signatureResult: ConsentSignature
    /// The digest of the image of the signature.
    public let signature: BlobDigest
    /// The digest of the document; nil if it follows later.
    public let document: BlobDigest?

    /// Checks a consent.
    ///
    /// - Throws: ``CMHealthError``: 700 without a result, 702 without a signature in it, 703 if the person did not
    ///   consent, 705 without an image.
    public init(result: JSON?, signature: BlobDigest?, document: BlobDigest? = nil) throws(CMHealthError) {
        signatureResult = try ConsentSignature(in: result)
        guard let signature else { throw .userDidNotSign }
        self.result = result ?? .null
        self.signature = signature
        self.document = document
    }

    /// Reads the body of an upload, `{"result","signature","document"}`. Other members are ignored.
    ///
    /// - Throws: ``CMHealthError`` as ``init(result:signature:document:)``; ``ResearchResultError``: `digest-invalid`,
    ///   `result-too-large`, `result-too-many`.
    public init(json: JSON) throws {
        let result = json["result"].flatMap { $0.isNull ? nil : $0 }
        if let result {
            guard result.byteCount(upTo: ResearchResult.maximumBytes) != nil else {
                throw ResearchResultError(.tooLarge, at: "$.result")
            }
            guard !ResultTree(result).exceedsLimit else { throw ResearchResultError(.tooMany, at: "$.result") }
        }
        try self.init(
            result: result, signature: BlobDigest.member("signature", of: json),
            document: BlobDigest.member("document", of: json))
    }

    /// The body of the upload.
    public var json: JSON {
        var body: JSON = ["result": result, "signature": .string(signature.text)]
        body["document"] = document.map { .string($0.text) }
        return body
    }
}
