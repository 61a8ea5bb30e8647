import Core
import Crypto
import Foundation
import HTTPTransport
import ResearchResults

extension AccountClient {
    /// Uploads a signed consent (CMHealth: `uploadUserConsent:forStudyWithDescriptor:`).
    ///
    /// The files are uploaded first, then the consent with their digests, so the archive never has a part of a consent. If
    /// the profile has no name, the server sets those of the signature, and the profile is read again.
    ///
    /// - Parameters:
    ///   - result: the task result with the signature, without its image; nil for none.
    ///   - signature: the image of the signature, JPEG or PNG; nil for none.
    ///   - document: the document (PDF); nil if it follows later (``addConsentDocument(_:descriptor:)``).
    ///   - descriptor: the name of the study; nil for none.
    /// - Throws: as ``AccountClient`` describes. Before anything is sent: `CMHealthError` 700 without a result, 702 without
    ///   a signature in it, 703 if the person did not consent, 705 without an image; `file-invalid` (706).
    @discardableResult
    public func uploadConsent(
        result: JSON?, signature: Data?, document: Data? = nil, descriptor: String? = nil
    ) async throws -> ArchivedConsent {
        let descriptor = try ResearchResult.checked(descriptor: descriptor)
        let image = signature.flatMap { AccountImage($0) }
        let upload = try ConsentUpload(
            result: result, signature: image.map { try digest($0.bytes) }, document: document.map { try digest($0) })
        guard upload.result.byteCount(upTo: ResearchResult.maximumBytes) != nil else {
            throw ResearchResultError(.tooLarge, at: "$")
        }
        guard let image, image.bytes.count <= limits.fileBytes else { throw AccountClientError(.fileInvalid) }
        if let document { try checkDocument(document) }
        // 1. The files. One that the server has already is not an error.
        let text = upload.result.data()
        try await put(text, as: "application/json")
        try await put(image.bytes, as: image.mediaType)
        if let document { try await put(document, as: "application/pdf") }
        // 2. The consent.
        var body: JSON = ["result": .string(try digest(text).text), "signature": .string(upload.signature.text)]
        body["document"] = upload.document.map { .string($0.text) }
        let response = try await send(
            AccountRequest("POST", path: "consents", query: [("descriptor", descriptor)], json: body, kind: .save))
        let consent = try readConsent(response)
        if state.profile.map({ !$0.hasName }) ?? true { _ = try? await profile() }
        return consent
    }

    /// Uploads the document of the current consent (CMHealth: `uploadConsentPDF:`).
    ///
    /// - Throws: as ``AccountClient`` describes; `file-invalid` (706) if it is not PDF, `consent-absent` without a consent.
    public func addConsentDocument(_ document: Data, descriptor: String? = nil) async throws {
        let descriptor = try ResearchResult.checked(descriptor: descriptor)
        try checkDocument(document)
        try await put(document, as: "application/pdf")
        _ = try await send(
            AccountRequest(
                "PUT", path: "consents/current/document", query: [("descriptor", descriptor)],
                json: ["document": .string(try digest(document).text)], kind: .save))
    }

    /// Reads the current consent (CMHealth: `fetchUserConsentForStudyWithDescriptor:`); nil if none is on file.
    public func consent(descriptor: String? = nil) async throws -> ArchivedConsent? {
        let descriptor = try ResearchResult.checked(descriptor: descriptor)
        let response = try await send(
            AccountRequest("GET", path: "consents/current", query: [("descriptor", descriptor)], kind: .fetch))
        return response.status == 204 ? nil : try readConsent(response)
    }

    /// Withdraws the current consent.
    ///
    /// - Throws: as ``AccountClient`` describes; `consent-absent` (803) without a consent.
    public func withdrawConsent(descriptor: String? = nil) async throws {
        let descriptor = try ResearchResult.checked(descriptor: descriptor)
        _ = try await send(
            AccountRequest("DELETE", path: "consents/current", query: [("descriptor", descriptor)], kind: .save))
    }

    /// Reads the task result of a consent.
    public func result(of consent: ArchivedConsent) async throws -> JSON {
        guard let json = JSON(reading: try await file(consent.result)) else {
            throw AccountClientError(.invalidResponse)
        }
        return json
    }

    /// Reads the image of the signature of a consent (CMHealth: `fetchSignatureImage`).
    public func signature(of consent: ArchivedConsent) async throws -> AccountImage {
        guard let image = AccountImage(try await file(consent.signature)) else {
            throw AccountClientError(.invalidResponse)
        }
        return image
    }

    /// Reads the document of a consent (CMHealth: `fetchConsentPDF`); nil if it was not uploaded yet.
    public func document(of consent: ArchivedConsent) async throws -> Data? {
        guard let digest = consent.document else { return nil }
        return try await file(digest)
    }

    // MARK: - Files

    /// Uploads a file under its digest.
    private func put(_ bytes: Data, as mediaType: String) async throws {
        var request = try AccountRequest("PUT", path: "me/blobs/\(digest(bytes).text)", kind: .file)
        request.headers["Content-Type"] = mediaType
        request.body = bytes
        _ = try await send(request)
    }

    /// Reads a file, and compares it with its digest.
    private func file(_ digest: BlobDigest) async throws -> Data {
        let response = try await send(AccountRequest("GET", path: "me/blobs/\(digest.text)", kind: .fetch))
        guard response.body.count <= limits.fileBytes, try self.digest(response.body) == digest else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        return response.body
    }

    private func checkDocument(_ document: Data) throws(AccountClientError) {
        guard document.count <= limits.fileBytes, ConsentFile.isDocument(document) else {
            throw AccountClientError(.fileInvalid)
        }
    }

    private func readConsent(_ response: TransportResponse) throws(AccountClientError) -> ArchivedConsent {
        guard let consent = try json(response)["consent"].flatMap({ ArchivedConsent(json: $0) }) else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        return consent
    }

    /// Returns the SHA-256 of bytes.
    nonisolated func digest(_ bytes: Data) throws(AccountClientError) -> BlobDigest {
        guard let digest = BlobDigest(bytes: Array(SHA256.hash(data: bytes))) else {
            throw AccountClientError(.fileInvalid)
        }
        return digest
    }
}
