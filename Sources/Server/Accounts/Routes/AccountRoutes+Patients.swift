import AccessPolicy
import Audit
import Core
import Foundation
import Hummingbird
import ResearchResults
import ServerHTTP
import Storage

extension AccountRoutes {
    /// `GET /v1/patients?after=&wait=`: the patients that the caller sees with changes since the cursor, and those who left.
    func patients(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await caller(request, context)
        try requireParameters(["after", "wait"], of: request)
        let after = try parameter("after", of: request)
        if after != nil, let token = request.bearerToken {
            let seconds = try self.seconds(of: request)
            try await waits.wait(for: caller.id, upTo: seconds) {
                try await store.database.lookUp { try hasNews(after: after, token: token, in: $0) }
            }
        }
        let now = clock()
        let listing: Listing = try await store.database.read { transaction in
            let caller = try requireCaller(token: request.bearerToken ?? "", in: transaction)
            return try readListing(of: caller, after: after, now: now, in: transaction)
        }
        guard let page = listing.page else {
            try await store.database.write { transaction in
                _ = try store.audit.record(
                    listing.decision, by: caller.account.actor, action: .listPatients, target: Target(),
                    in: transaction)
            }
            throw HTTPFailure.noGrant(listing.decision)
        }
        if !page.patients.isEmpty {
            try await store.audit.record(
                listing.decision, by: caller.account.actor, action: .listPatients, target: Target(resourceType: "list"),
                showing: Set(page.patients.map { $0.id }))
        }
        var json = page.json
        json["next"] = .string(listing.next)
        if listing.isRestart { json["restart"] = .bool(true) }
        return Self.answer(json)
    }

    /// Returns the seconds for which a request may wait; 0 without `wait`.
    private func seconds(of request: Request) throws -> Int {
        guard let text = try parameter("wait", of: request) else { return 0 }
        guard let seconds = Int(text), (0...AccountWaits.maximumSeconds).contains(seconds) else {
            throw HTTPFailure.waitInvalid
        }
        return seconds
    }

    /// Whether a list of patients after a cursor would report something, or be refused.
    private func hasNews(after: String?, token: String, in transaction: any SQLTransaction) throws -> Bool {
        let caller = try requireCaller(token: token, in: transaction)
        let listing = try readListing(of: caller, after: after, now: clock(), in: transaction)
        guard let page = listing.page, !listing.isRestart else { return true }
        return !page.patients.isEmpty || !page.left.isEmpty
    }

    private struct Listing: Sendable {
        let decision: Decision
        let page: PatientListPage?
        let next: String
        /// Whether the cursor is from before a restore: the list begins again, and the reader forgets all it knows.
        let isRestart: Bool
    }

    private func readListing(
        of caller: Caller, after: String?, now: Date, in transaction: any SQLTransaction
    ) throws -> Listing {
        let policy = store.audit.policy
        let reader = try store.reader(caller.account.actor, caller.person, in: transaction)
        let decision = policy.decideListing(reader, at: now)
        let denied = Listing(decision: decision, page: nil, next: "", isRestart: false)
        let state = try PeopleState(in: transaction)
        var cursor = PatientCursor(account: caller.id, epoch: state.epoch)
        var isRestart = false
        if let after {
            if let known = PatientCursor(after, key: state.cursorKey, account: caller.id) {
                cursor = known
            } else {
                guard decision.allowed else { return denied }
                // Only a cursor from before a restore starts again from the beginning.
                guard PatientCursor.isOfAnotherEpoch(after, than: state.epoch) else { throw HTTPFailure.cursorInvalid }
                cursor.isRestarted = true
                isRestart = true
            }
        }
        // A reader whose grants have ended still gets the ids of the patients that they knew, as those who left.
        guard decision.allowed || !cursor.known.isEmpty else { return denied }
        let visible = policy.visibleGroups(of: reader, groups: store.groups, at: now)
        let page = try PatientReading(transaction: transaction, visible: visible, newest: state.number)
            .page(after: cursor)
        return Listing(
            decision: decision, page: page, next: page.cursor.text(key: state.cursorKey), isRestart: isRestart)
    }

    /// Returns a patient whose data the caller may read. The decision is on record.
    ///
    /// - Throws: 403 for a caller without a grant; 404 for a patient whose data the caller may not see.
    private func patient(
        _ data: AccountData, for request: Request, in context: ServerRequestContext
    ) async throws -> (caller: Caller, person: Person) {
        let caller = try await caller(request, context)
        let id = context.parameters.get("id") ?? ""
        let now = clock()
        let (decision, person) = try await store.audit.recorded { transaction -> (Decision, Person?) in
            let reader = try store.reader(caller.account.actor, caller.person, in: transaction)
            let policy = store.audit.policy
            var decision = policy.decideListing(reader, at: now)
            let person = try Person.find(id, in: transaction)
            if decision.allowed {
                let memberships = try person.map { try MembershipStore.memberships(of: $0.id, in: transaction) }
                decision = policy.decideReading(
                    data, by: reader, visible: policy.visibleGroups(of: reader, groups: store.groups, at: now),
                    memberships: memberships ?? [])
            }
            // The id of the path is on record only if it names an account.
            try store.audit.record(
                decision, by: reader.actor, action: data.reading,
                target: Target(resourceType: data.rawValue, subject: person?.id), in: transaction)
            return (decision, person)
        }
        guard decision.allowed, let person else {
            throw decision.reason == "not-visible" ? HTTPFailure.notFound : HTTPFailure.noGrant(decision)
        }
        return (caller, person)
    }

    /// `GET /v1/patients/{id}/profile`.
    func patientProfile(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let stored = ProfileText(text: try await patient(.profile, for: request, in: context).person.profile)
        return Self.answer(stored: stored.text, headers: [.eTag: stored.tag])
    }

    /// `GET /v1/patients/{id}/photo`.
    func patientPhoto(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await photo(of: patient(.photo, for: request, in: context).person)
    }

    /// `GET /v1/patients/{id}/consents`.
    func patientConsents(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let person = try await patient(.consents, for: request, in: context).person
        try requireParameters(["cursor"], of: request)
        let number = try number(of: request)
        let page = try await store.database.lookUp {
            try PeopleStore.consents(of: person.id, after: number, in: $0)
        }
        return Self.answer(page.json)
    }

    /// `GET /v1/patients/{id}/blobs/{sha256}`: a file that a consent of the patient names.
    func patientBlob(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let person = try await patient(.consents, for: request, in: context).person
        let digest = try digest(of: context)
        let content = try await store.database.lookUp { transaction -> Data? in
            guard try PeopleStore.isOfConsent(digest.text, of: person.id, in: transaction) else { return nil }
            return try PeopleStore.blob(digest.text, of: person.id, in: transaction)
        }
        guard let content else { throw HTTPFailure.notFound }
        return Self.file(content)
    }

    /// `GET /v1/patients/{id}/results`.
    func patientResults(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let (caller, person) = try await patient(.results, for: request, in: context)
        return try await results(of: person.id, request, by: caller)
    }
}

extension HTTPFailure {
    /// 403: the caller has no grant that permits it.
    package static func noGrant(_ decision: Decision) -> HTTPFailure {
        var failure = HTTPFailure(
            .forbidden, code: decision.reason,
            message: decision.reason == "not-verified"
                ? "Verify the e-mail address first: grants take effect with the code of the mail."
                : decision.reason == "read-only"
                    ? "The role of this account reads care plans, and does not change them."
                    : "This account has no role in a team.")
        failure.set(cmhealth: .unauthorized)
        return failure
    }

    /// 400: a wait that is no number of seconds.
    package static let waitInvalid = HTTPFailure(
        .badRequest, code: "wait-invalid",
        message: "wait is a number of seconds from 0 to \(AccountWaits.maximumSeconds).")
}
