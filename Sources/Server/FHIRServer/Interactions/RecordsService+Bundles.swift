import AccessPolicy
import Core
import FHIR
import FHIRHTTP
import Foundation
import RecordStorage
import Synchronization

/// Runs the reading entries of one Bundle (``EntryRouter``).
final class BundleReader: Sendable {
    /// Maximum number of bytes of all responses to the entries of one Bundle.
    static let maximumBytes = 32 << 20

    /// Returns the response to an entry, with a maximum number of bytes.
    let answer: @Sendable (EntryRequest, Int) async throws -> EntryAnswer
    private struct Left {
        var bytes = BundleReader.maximumBytes
        var resources = BundleEntry.maximumRead
    }

    private let left = Mutex(Left())

    init(answer: @escaping @Sendable (EntryRequest, Int) async throws -> EntryAnswer) { self.answer = answer }

    /// - Throws: ``RecordsFailure``
    func read(_ request: EntryRequest) async throws -> BundleAnswer.Entry {
        let limit = limit
        guard limit > 0 else { throw RecordsFailure.tooMuchRead }
        let found = try await answer(request, limit)
        let read = found.body.isEmpty ? nil : (try? Resource(Data(found.body)))
        var head = FHIR.Bundle.Entry()
        var response = FHIR.Bundle.Entry.Response(status: found.status)
        response.etag = found.etag
        if found.etag != nil { response.lastModified = read?.meta?.lastUpdated }
        head.response = response
        var entry = BundleAnswer.Entry(head, found.body.isEmpty ? nil : .read(found.body))
        entry.resources = max(1, read?["entry"]?.array?.count ?? 1)
        take(entry, 1)
        return entry
    }

    /// Maximum number of bytes of the next response.
    private var limit: Int { @inline(never) get { left.withLock { $0.resources > 0 ? $0.bytes : 0 } } }

    /// Returns the bytes of a response that is not part of the Bundle.
    func giveBack(_ answer: BundleAnswer.Entry) { take(answer, -1) }

    @inline(never)
    private func take(_ answer: BundleAnswer.Entry, _ sign: Int) {
        left.withLock { left in
            left.bytes -= sign * answer.readBytes
            left.resources -= sign * answer.resources
        }
    }
}

extension RecordsService {
    /// Performs a batch, entry by entry, or a transaction as a whole or not at all
    /// (<https://hl7.org/fhir/R4/http.html#transaction>).
    ///
    /// - Parameters:
    ///   - allowance: the limits that the entries share.
    ///   - reader: runs the reading entries.
    /// - Throws: ``RecordsFailure`` where the Bundle is neither, or a transaction fails.
    func perform(
        _ bundle: FHIR.Bundle, by grant: AccessGrant, url: String, strict: Bool, returning preference: ReturnPreference,
        within allowance: RequestAllowance, reading reader: BundleReader
    ) async throws -> BundleAnswer {
        guard grant.role != .device else { throw RecordsFailure.forbidden }
        guard bundle.entry.count <= BundleEntry.maximumCount else { throw RecordsFailure.tooManyEntries }
        switch bundle.type {
        case .batch:
            var answer = BundleAnswer(type: .batchResponse, allowance: allowance.time.answer)
            for entry in bundle.entry {
                do {
                    switch try BundleEntry(entry, url: url, strict: strict) {
                    case .write(let write):
                        let outcome = try await self.write(write, by: grant, url: url, within: allowance)
                        answer.entries.append(Self.entry(outcome, returning: preference, within: allowance.time.answer))
                    case .request(let request): answer.entries.append(try await reader.read(request))
                    }
                } catch {
                    answer.entries.append(Self.entry(RecordsFailure(error)))
                }
            }
            return answer
        case .transaction:
            var entries: [BundleEntry] = []
            for (index, entry) in bundle.entry.enumerated() {
                do throws(RecordsFailure) {
                    entries.append(try BundleEntry(entry, url: url, strict: strict))
                } catch { throw error.of(entry: index) }
            }
            let transaction = TransactionEntries(entries, reader: reader, service: self, grant: grant)
            return try await transaction.perform(url: url, returning: preference, within: allowance)
        default: throw RecordsFailure.bundleExpected
        }
    }

    /// - Parameter allowance: a record that does not fit is not returned.
    static func entry(
        _ outcome: WriteOutcome, returning preference: ReturnPreference, within allowance: AnswerAllowance
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
        guard preference == .representation, outcome.isShown, let record = outcome.record, !record.isDeleted,
            allowance.takes(record.content.count)
        else { return BundleAnswer.Entry(answer) }
        return BundleAnswer.Entry(answer, .record(record))
    }

    static func entry(_ failure: RecordsFailure) -> BundleAnswer.Entry {
        var answer = FHIR.Bundle.Entry()
        var response = FHIR.Bundle.Entry.Response(
            status: "\(failure.status.code) \(failure.status.reasonPhrase)")
        response.outcome = OperationOutcome(failure).resource
        answer.response = response
        return BundleAnswer.Entry(answer)
    }
}
