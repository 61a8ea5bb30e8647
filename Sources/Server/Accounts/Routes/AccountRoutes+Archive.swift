import Core
import Foundation
import Hummingbird
import ResearchResults
import ServerHTTP

extension AccountRoutes {
    /// Returns the digest in the path.
    func digest(of context: ServerRequestContext) throws -> BlobDigest {
        guard let digest = context.parameters.get("digest").flatMap({ BlobDigest($0) }) else {
            throw ResearchResultError(.digestInvalid, at: "the path")
        }
        return digest
    }

    /// `PUT /v1/me/blobs/{sha256}`.
    func putBlob(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        let digest = try digest(of: context)
        let body = try await bodies.collect(request, upTo: PeopleStore.maximumBlobBytes)
        let isNew = try await store.putBlob(body.bytes, digest: digest.text, of: caller.id)
        return Response(status: isNew ? .created : .ok, headers: [.cacheControl: "no-store"])
    }

    /// `GET /v1/me/blobs/{sha256}`.
    func blob(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        let digest = try digest(of: context)
        guard
            let content = try await store.database.lookUp({
                try PeopleStore.blob(digest.text, of: caller.id, in: $0)
            })
        else { throw HTTPFailure.notFound }
        return Self.file(content)
    }

    /// `POST /v1/consents?descriptor=`.
    func addConsent(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        try requireParameters(["descriptor"], of: request)
        let descriptor = try descriptor(of: request)
        let json = try await object(request)
        let files = PeopleStore.ConsentFiles(
            result: try BlobDigest.member("result", of: json), signature: try BlobDigest.member("signature", of: json),
            document: try BlobDigest.member("document", of: json))
        let consent = try await store.addConsent(files, descriptor: descriptor, of: caller.id)
        waits.send()
        return Self.answer(["consent": consent.json], status: .created)
    }

    /// `PUT /v1/consents/current/document?descriptor=`.
    func addDocument(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        try requireParameters(["descriptor"], of: request)
        let descriptor = try descriptor(of: request)
        guard let document = try BlobDigest.member("document", of: await object(request)) else {
            throw ResearchResultError(.digestInvalid, at: "$.document")
        }
        try await store.addDocument(document, descriptor: descriptor, of: caller.id)
        waits.send()
        return Self.noContent()
    }

    /// `GET /v1/consents/current?descriptor=`: no consent on file is not an error.
    func currentConsent(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        try requireParameters(["descriptor"], of: request)
        let descriptor = try descriptor(of: request)
        let consent = try await store.database.lookUp {
            try PeopleStore.currentConsent(descriptor, of: caller.id, in: $0)
        }
        return consent.map { Self.answer(["consent": $0.json]) } ?? Self.noContent()
    }

    /// `DELETE /v1/consents/current?descriptor=`: withdraws the consent.
    func withdrawConsent(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        try requireParameters(["descriptor"], of: request)
        let descriptor = try descriptor(of: request)
        try await store.withdrawConsent(descriptor, of: caller.id)
        waits.send()
        return Self.noContent()
    }
}
