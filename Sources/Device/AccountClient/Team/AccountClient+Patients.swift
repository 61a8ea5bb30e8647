import Core
import DeviceSystem
import Foundation
import ResearchResults

extension AccountClient {
    /// The list of visible patients after a cursor, page by page. It ends with the page before an empty one.
    ///
    /// - Parameter cursor: the cursor of the last page that was read; nil for the whole list.
    public nonisolated func patientPages(after cursor: String? = nil) -> AccountPages<PatientPage> {
        AccountPages(limits: limits, now: now, start: cursor) { cursor in
            let query = cursor.map { [(name: "after", value: $0)] } ?? []
            let response = try await self.send(AccountRequest("GET", path: "patients", query: query, kind: .fetch))
            guard let page = PatientPage(json: try self.json(response)), self.isCursor(page.cursor) else {
                throw AccountClientError(.invalidResponse, status: response.status)
            }
            return .init(page: page, next: page.isEmpty ? nil : page.cursor, bytes: response.body.count)
        }
    }

    /// Reads all visible patients (CMHealth: `fetchAllPatientsWithCompletion:`).
    ///
    /// - Throws: as ``AccountClient`` describes; 806 for an account without a role.
    public func patients() async throws -> [VisiblePatient] {
        var found: [String: VisiblePatient] = [:]
        var order: [String] = []
        for try await page in patientPages() {
            for patient in page.patients where found.updateValue(patient, forKey: patient.id) == nil {
                order.append(patient.id)
            }
            for id in page.left { found[id] = nil }
        }
        // A patient who left and entered again has been added twice.
        var listed: Set<String> = []
        return order.compactMap { listed.insert($0).inserted ? found[$0] : nil }
    }

    /// Reads the news since the last pull: the patients who entered, changed and left.
    ///
    /// ```swift
    /// try await client.pullPatients { changes in
    ///     for id in changes.left { try removeCopies(of: id) }
    ///     for id in changes.entered + changes.changed { try await load(id) }
    /// }
    /// ```
    /// The cursor and the visible patients become durable after the closure has returned. If it throws, or the app ends
    /// before, the next pull has the same changes again.
    ///
    /// - Parameter apply: applies the changes. It is called once, also if there are none.
    /// - Throws: as ``AccountClient`` describes; the errors of the closure; 806 for an account without a role.
    @discardableResult
    public func pullPatients(
        _ apply: @Sendable (PatientChanges) async throws -> Void = { _ in }
    ) async throws -> PatientChanges {
        let account = try await currentSession().account
        // One pull at a time, of all processes with this folder.
        let lock = try await store.lock(of: "pull")
        defer { withExtendedLifetime(lock) {} }
        var pull = PatientPull(try store.register(of: account))
        let before = pull.register
        var isBegun = false
        do {
            for try await page in patientPages(after: before.cursor) {
                // The account may have changed between two pages.
                guard session?.account == account else { throw AccountClientError(.userNotLoggedIn) }
                pull.apply(page)
                isBegun = true
            }
        } catch let error as AccountClientError where error.status == 403 && isBegun {
            // The last role has ended. The pages before have the patients who left because of it.
        }
        let (changes, register) = (pull.changes, pull.register)
        try await apply(changes)
        guard register != before else { return changes }
        try await store.locked { store in
            guard try store.holder()?.holder.account == account else { throw AccountClientError(.userNotLoggedIn) }
            try store.write(register, of: account)
        }
        return changes
    }

    /// Waits until there is news since the last pull: a patient entered, changed or left. It changes nothing: call
    /// ``pullPatients(_:)`` afterwards.
    ///
    /// - Parameter seconds: how long the server may wait, up to 30.
    /// - Returns: whether there is news.
    /// - Throws: as ``AccountClient`` describes; 806 for an account without a role.
    public func awaitPatients(seconds: Int = 30) async throws -> Bool {
        let account = try await currentSession().account
        var query = [(name: "wait", value: String(min(max(seconds, 0), 30)))]
        let cursor = try store.register(of: account).cursor
        if let cursor { query.append(("after", cursor)) }
        let response = try await send(AccountRequest("GET", path: "patients", query: query, kind: .fetch))
        let json = try json(response)
        guard let page = PatientPage(json: json) else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        return !page.isEmpty
    }

    /// The ids of the patients who were visible at the last pull, sorted. It needs no network.
    public func pulledPatients() throws -> [String] {
        guard let account = session?.account else { return [] }
        return try store.register(of: account).patients.sorted()
    }

    // MARK: - A patient's data

    /// Reads the profile of a patient.
    ///
    /// - Throws: as ``AccountClient`` describes; 803 for data that the account may not read.
    public func profile(ofPatient id: String) async throws -> AccountProfile {
        try readProfile(await send(AccountRequest("GET", path: "patients/\(segment(id))/profile", kind: .fetch)))
    }

    /// Reads the photo of a patient; nil if there is none.
    ///
    /// - Throws: as ``profile(ofPatient:)``.
    public func photo(ofPatient id: String) async throws -> AccountImage? {
        try await image("patients/\(segment(id))/photo")
    }

    /// The consents of a patient, page by page.
    ///
    /// - Throws: ``AccountClientError`` `id-invalid`.
    public nonisolated func consents(
        ofPatient id: String
    ) throws(AccountClientError) -> AccountPages<[ArchivedConsent]> {
        pages(of: "patients/\(try segment(id))/consents", member: "consents", kind: .fetch) {
            ArchivedConsent(json: $0)
        }
    }

    /// The results of a patient that match a filter, page by page.
    ///
    /// - Throws: ``AccountClientError`` `id-invalid`.
    public nonisolated func results(
        ofPatient id: String, matching filter: ResultFilter? = nil
    ) throws(AccountClientError) -> AccountPages<[SavedResult]> {
        pages(
            of: "patients/\(try segment(id))/results", query: filter?.parameters ?? [], member: "results", kind: .result
        ) { SavedResult(json: $0) }
    }
}
