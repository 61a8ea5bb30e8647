import AccessPolicy
import Core
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ResearchResults
import ServerHTTP

extension AccountRoutes {
    /// `GET /v1/me`.
    func me(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        let groups = try await store.database.lookUp { try Person.groups(of: caller.id, in: $0) }
        return Self.answer([
            "account": .string(caller.id), "email": .string(caller.person.email),
            "verified": .bool(caller.person.isVerified), "groups": .array(groups.map { .string($0) }),
            "sharing": .bool(caller.person.isSharing),
        ])
    }

    /// `GET /v1/me/profile`.
    func profile(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let stored = ProfileText(text: try await caller(request, context).person.profile)
        return Self.answer(stored: stored.text, headers: [.eTag: stored.tag])
    }

    /// `PUT /v1/me/profile` with `If-Match` (RFC 9110 section 13.1.1).
    func setProfile(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        let tags = request.headers[values: .ifMatch].flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard !tags.isEmpty else {
            throw HTTPFailure(
                .preconditionRequired, code: "profile-precondition",
                message: "A change of the profile needs If-Match with the ETag of the profile that was read.")
        }
        let body = try await bodies.collect(request, upTo: AccountProfile.maximumBytes + 1)
        guard let json = JSON(reading: Array(body.bytes)) else { throw ResearchResultError(.profileInvalid, at: "$") }
        let outcome = try await store.setProfile(
            AccountProfile(json: json), of: caller.id, ifMatch: tags.contains("*") ? nil : tags)
        waits.send()
        guard case .changed(let tag) = outcome else {
            throw HTTPFailure(
                .preconditionFailed, code: "profile-stale",
                message: "The profile has changed since it was read: read it again, and apply the change.")
        }
        return Self.noContent([.eTag: tag])
    }

    /// `GET /v1/me/photo`.
    func photo(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        return try await photo(of: caller.person)
    }

    /// Returns the photo of a person; 204 if there is none.
    func photo(of person: Person) async throws -> Response {
        guard let digest = person.photo,
            let content = try await store.database.lookUp({ try PeopleStore.blob(digest, of: person.id, in: $0) })
        else { return Self.noContent() }
        return Self.file(content)
    }

    /// Returns a file with the media type of its first bytes.
    static func file(_ content: Data) -> Response {
        let mediaType =
            if ConsentFile.isDocument(content) {
                "application/pdf"
            } else if ConsentFile.isSignatureImage(content) {
                content.first == 0x89 ? "image/png" : "image/jpeg"
            } else {
                "application/octet-stream"
            }
        return .bytes(
            ByteBuffer(bytes: content), mediaType: mediaType, headers: [.xContentTypeOptions: "nosniff"])
    }

    /// `PUT /v1/me/photo`.
    func setPhoto(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        let body = try await bodies.collect(request, upTo: PeopleStore.maximumBlobBytes)
        guard ConsentFile.isSignatureImage(body.bytes) else {
            var failure = HTTPFailure(
                .unprocessableContent, code: "photo-invalid", message: "A photo is a JPEG or a PNG.")
            failure.set(cmhealth: .failedToUploadFile)
            throw failure
        }
        try await store.setPhoto(body.bytes, of: caller.id)
        waits.send()
        return Self.noContent()
    }

    /// `PUT /v1/me/email`.
    func setEmail(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        let json = try await object(request)
        return try await change(.email(try EmailAddress(text("email", of: json))), by: caller, body: json, in: context)
    }

    /// `PUT /v1/me/password`.
    func setPassword(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        let json = try await object(request)
        let attempt = SignInAttempt(username: caller.account.username, address: context.client)
        let hash = try await store.accounts.hash(
            of: text("newPassword", of: json, upTo: 4_096), checker: passwords, from: Self.origin(attempt),
            cost: store.passwordCost)
        return try await change(.password(hash), by: caller, body: json, in: context)
    }

    /// `POST /v1/me/deletion`: the job of the server deletes the account soon after.
    func requestDeletion(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        let json = try await object(request)
        var response = try await change(.deletion, by: caller, body: json, in: context)
        response.status = .accepted
        return response
    }

    /// Makes a change that needs the password again.
    private func change(
        _ change: PeopleStore.Change, by caller: Caller, body json: JSON, in context: ServerRequestContext
    ) async throws -> Response {
        let password = try text("password", of: json, upTo: 4_096)
        let isRight = try await counted(caller.account.username, in: context) { attempt in
            try await store.change(
                change, of: caller.account, password: password, checker: passwords, from: Self.origin(attempt))
                ? true : nil
        }
        guard isRight == true else { throw CMHealthError.invalidCredentials }
        onWork()
        return Self.noContent()
    }

    /// `PUT /v1/me/sharing`.
    func setSharing(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        guard let isSharing = try await object(request)["sharing"]?.bool else {
            throw HTTPFailure.bodyInvalid("The body needs sharing, true or false.")
        }
        try await store.setSharing(isSharing, of: caller.id)
        waits.send()
        return Self.noContent()
    }

    /// `POST /v1/me/verification`.
    func verify(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        try limiter.admit(context.client, .registrationByAddress)
        let code = try text("code", of: await object(request))
        guard try await store.verify(code: code, account: caller.id) else { throw HTTPFailure.codeInvalid }
        return Self.noContent()
    }

    /// `GET /v1/me/access`.
    func access(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        return Self.answer(try await store.access(to: caller.id).json)
    }
}
