import FHIR
import Foundation
import Trust

/// What the entries of a Bundle may still read.
private struct ReadAllowance {
    var resources = BundleEntry.mostRead
    /// What all of them together have left to look for what they ask for.
    let time: SearchTime
}

extension RecordsService {
    /// Performs a batch, entry by entry, or a transaction, of which all is done or nothing
    /// (<https://hl7.org/fhir/R4/http.html#transaction>).
    ///
    /// - Throws: ``RecordsFailure`` where it is neither, or a transaction cannot be done.
    func perform(
        _ bundle: FHIR.Bundle, by grant: AccessGrant, url: String, strict: Bool, returning preference: ReturnPreference
    ) async throws -> BundleAnswer {
        guard grant.role != .device else { throw RecordsFailure.forbidden }
        guard bundle.entry.count <= BundleEntry.most else { throw RecordsFailure.tooManyEntries }
        switch bundle.type {
        case .batch:
            var answer = BundleAnswer(type: .batchResponse)
            var left = ReadAllowance(time: SearchTime(limits))
            for entry in bundle.entry {
                answer.entries.append(
                    await single(entry, by: grant, url: url, strict: strict, returning: preference, &left))
            }
            return answer
        case .transaction:
            return try await transaction(bundle, by: grant, url: url, strict: strict, returning: preference)
        default: throw RecordsFailure.bundleExpected
        }
    }

    private func single(
        _ entry: FHIR.Bundle.Entry, by grant: AccessGrant, url: String, strict: Bool,
        returning preference: ReturnPreference, _ left: inout ReadAllowance
    ) async -> BundleAnswer.Entry {
        do {
            switch try BundleEntry(entry) {
            case .write(let write):
                return Self.entry(try await self.write(write, by: grant, within: left.time), returning: preference)
            case let reading:
                return BundleAnswer.Entry(try await read(reading, by: grant, url: url, strict: strict, &left))
            }
        } catch {
            return Self.entry(RecordsFailure(error))
        }
    }

    private func transaction(
        _ bundle: FHIR.Bundle, by grant: AccessGrant, url: String, strict: Bool,
        returning preference: ReturnPreference
    ) async throws -> BundleAnswer {
        // 1. Everything is read before anything is done.
        var entries: [BundleEntry] = []
        for (place, entry) in bundle.entry.enumerated() {
            do throws(RecordsFailure) { entries.append(try BundleEntry(entry)) } catch { throw error.of(entry: place) }
        }
        let places = entries.indices.filter { if case .write = entries[$0] { true } else { false } }
        let writes = places.compactMap { place -> WriteRequest? in
            if case .write(let write) = entries[place] { write } else { nil }
        }
        // 2. What writes, together; then what reads.
        let time = SearchTime(limits)
        var answers = [BundleAnswer.Entry](
            repeating: BundleAnswer.Entry(FHIR.Bundle.Entry()), count: entries.count)
        if !writes.isEmpty {
            for (place, outcome) in zip(places, try await write(writes, by: grant, within: time)) {
                answers[place] = Self.entry(outcome, returning: preference)
            }
        }
        var left = ReadAllowance(time: time)
        for (place, entry) in entries.enumerated() {
            if case .write = entry { continue }
            // What was written stands: what cannot be read is said at its place.
            do {
                answers[place] = BundleAnswer.Entry(
                    try await read(entry, by: grant, url: url, strict: strict, &left))
            } catch {
                answers[place] = Self.entry(RecordsFailure(error))
            }
        }
        return BundleAnswer(type: .transactionResponse, entries: answers)
    }

    private func read(
        _ entry: BundleEntry, by grant: AccessGrant, url: String, strict: Bool, _ left: inout ReadAllowance
    ) async throws -> FHIR.Bundle.Entry {
        guard left.resources > 0 else { throw RecordsFailure.tooMuchRead }
        var answer = FHIR.Bundle.Entry()
        var response = FHIR.Bundle.Entry.Response(status: "200 OK")
        switch entry {
        case .read(let type, let id, let version):
            let record =
                if let version {
                    try await read(type: type, id: id, version: version, by: RecordCaller(grant))
                } else {
                    try await read(type: type, id: id, by: RecordCaller(grant))
                }
            answer.resource = try record.resource()
            left.resources -= 1
            response.etag = "W/\"\(record.version)\""
            response.lastModified = DateTime(record.lastUpdated)
        case .history(let type, let id, let criteria):
            let found =
                if let type, let id {
                    try await history(
                        type: type, id: id, page: try HistoryPage(criteria, strict: strict), url: url, by: grant,
                        within: left.time)
                } else {
                    try await history(
                        ofType: type, try HistoryQuery(type: type, parameters: criteria, strict: strict), url: url,
                        by: grant, within: left.time)
                }
            left.resources -= max(1, found.entry.count)
            answer.resource = found.resource
        case .search(let scope, let criteria):
            let found = try await search(
                scope, parameters: criteria, strict: strict, url: url, by: RecordCaller(grant), within: left.time)
            left.resources -= max(1, found.entries.count)
            answer.resource = try found.bundle.resource
        case .write: throw RecordsFailure.entryInvalid
        }
        answer.response = response
        return answer
    }

    private static func entry(
        _ outcome: WriteOutcome, returning preference: ReturnPreference
    ) -> BundleAnswer.Entry {
        var answer = FHIR.Bundle.Entry()
        var response = FHIR.Bundle.Entry.Response(
            status: "\(outcome.status.code) \(outcome.status.reasonPhrase)")
        response.location = outcome.location
        if let record = outcome.record {
            response.etag = "W/\"\(record.version)\""
            response.lastModified = DateTime(record.lastUpdated)
        }
        if preference == .outcome { response.outcome = outcome.operationOutcome.resource }
        answer.response = response
        let isTold = preference == .representation && outcome.isShown
        return BundleAnswer.Entry(answer, record: isTold ? outcome.record.flatMap { $0.isDeleted ? nil : $0 } : nil)
    }

    private static func entry(_ failure: RecordsFailure) -> BundleAnswer.Entry {
        var answer = FHIR.Bundle.Entry()
        var response = FHIR.Bundle.Entry.Response(
            status: "\(failure.status.code) \(failure.status.reasonPhrase)")
        response.outcome =
            OperationOutcome(
                code: failure.issue, detail: failure.code, diagnostics: failure.message
            ).resource
        answer.response = response
        return BundleAnswer.Entry(answer)
    }
}
