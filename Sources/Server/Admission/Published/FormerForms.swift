import FHIR
import Foundation
import RecordStorage
import Storage
import Synchronization
import Warehouse

/// All versions of forms that the study has ever published, from the records. Answers that were begun in a former
/// version are checked against it. A version is compiled when a response first references it.
package final class FormerForms: Sendable {
    /// No versions.
    package static let none = FormerForms([])

    private struct Entry: Sendable {
        let number: Int
        let version: String?
        let form: Questionnaire
    }

    /// Newest first.
    private let byURL: [String: [Entry]]
    private let byID: [String: [Entry]]
    private let valueSets: [ValueSet]
    private let compiled = Mutex<[Int: PublishedStudy.Form]>([:])

    /// Maximum number of versions for a name, and of compiled versions in the cache.
    private static let maximumVersions = 20
    private static let maximumCompiled = 200

    /// - Parameters:
    /// - forms: all versions, oldest first.
    /// - valueSets: all versions of the value sets that were published with the forms.
    package init(_ forms: [Questionnaire], valueSets: [ValueSet] = []) {
        var byURL: [String: [Entry]] = [:]
        var byID: [String: [Entry]] = [:]
        for (number, form) in forms.enumerated().reversed() {
            let entry = Entry(number: number, version: form.version, form: form)
            if let url = form.url { byURL[url, default: []].append(entry) }
            if let id = form.id { byID[id, default: []].append(entry) }
        }
        self.byURL = byURL
        self.byID = byID
        self.valueSets = valueSets.reversed()
    }

    /// Reads the versions from the records' store.
    ///
    /// - Throws: ``Storage/StorageError``.
    package static func read(from database: any SQLDatabase) async throws -> FormerForms {
        let forms = try await versions(of: Questionnaire.self, from: database)
        guard !forms.isEmpty else { return .none }
        return FormerForms(forms, valueSets: try await versions(of: ValueSet.self, from: database))
    }

    private static func versions<View: ResourceView>(
        of type: View.Type, from database: any SQLDatabase
    ) async throws -> [View] {
        var found: [View] = []
        var last: RecordStore.PublishedVersion?
        repeat {
            let cursor = last
            let page = try await database.read { transaction in
                try RecordStore().publishedVersions(
                    ofType: View.resourceType, after: cursor, limit: pageSize, in: transaction)
            }
            // Skip content that can no longer be read.
            found += page.compactMap { version in
                var resource = try? Resource(version.record.content)
                resource?.id = version.record.id
                return resource?.as(View.self)
            }
            last = page.count < pageSize ? nil : page.last
        } while last != nil
        return found
    }

    private static let pageSize = 100

    /// All versions, the newest ones of a form first.
    package var all: [Questionnaire] {
        (Array(byURL.values) + byID.values.map { $0.filter { $0.form.url == nil } }).joined()
            .sorted { $0.number > $1.number }.map(\.form)
    }

    /// Returns the versions for a name, newest first; for a name with a version only those with that version.
    ///
    /// - Parameters:
    ///   - sets: value sets that are published now.
    ///   - health: the study's health types.
    @inline(never)
    func forms(
        named name: CanonicalURL, valueSets sets: [ValueSet], health: HealthConceptTable
    ) -> [PublishedStudy.Form] {
        let found = byURL[name.url] ?? Questionnaire.id(in: name).flatMap { byID[$0] } ?? []
        let named = found.filter { name.version == nil || $0.version == name.version }.prefix(Self.maximumVersions)
        guard !named.isEmpty else { return [] }
        return named.map { entry in
            if let form = compiled.withLock({ $0[entry.number] }) { return form }
            let form = PublishedStudy.Form(entry.form, valueSets: PublishedValueSets(sets + valueSets), health: health)
            compiled.withLock { forms in
                if forms.count >= Self.maximumCompiled { forms.removeAll() }
                forms[entry.number] = form
            }
            return form
        }
    }
}
