import Core
import FHIR
import Foundation
import SearchTestSupport
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import FHIRSearch
@testable import RecordStorage
@testable import SearchStatements

/// The SQL finds in the index what the conditions find in the resources themselves.
@Suite(.enabled(if: SearchedExamples.archive != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct SearchConditionStatementTests {
    /// A stored resource with its values for the search in memory.
    private struct Stored {
        let number: Int64
        let id: String
        let values: SearchValues
        let subject: String?
    }

    @Test(arguments: TestEngine.allCases)
    func indexAgreesWithTheResourcesInMemory(engine: TestEngine) async throws {
        let resources = try SearchedExamples.all().map(\.resource)
        try await withSearchTables(on: engine) { database async throws in
            let stored = try await store(resources, in: database)
            var asked = 0
            var found = 0
            var random = Seeded.fresh()
            for (type, ofType) in stored.sorted(by: { $0.key < $1.key }) {
                var conditions: Set<String> = []
                for one in ofType {
                    for entry in one.values.entries {
                        for text in searches(entry, tree: one.values.tree, random: &random)
                        where !text.hasPrefix("_lastUpdated") { conditions.insert(text) }
                    }
                }
                for parameter in one(ofType).values.tree.parameters
                where parameter.kind != .composite && parameter.code != "_lastUpdated" {
                    conditions.insert(parameter.code + ":missing=true")
                    conditions.insert(parameter.code + ":missing=false")
                }
                // PostgreSQL runs fewer of them: it prepares each statement again.
                var chosen = conditions.sorted()
                if engine == .postgresql { chosen = Array(chosen.shuffled(using: &random).prefix(40)) }
                let (own, all) = (ofType, chosen)
                let results = try await database.read { transaction in
                    try all.compactMap { text in try Self.compare(text, type: type, stored: own, in: transaction) }
                }
                asked += results.count
                found += results.reduce(0, +)
            }
            print("\(asked) searches found \(found) resources")
            #expect(asked > (engine == .sqlite ? 10_000 : 1_500) && found > asked)
        }
    }

    private func one(_ stored: [Stored]) -> Stored { stored[0] }

    /// Compares one search; returns nil if it is not a valid search.
    private static func compare(
        _ text: String, type: String, stored: [Stored], in transaction: any SQLTransaction
    ) throws -> Int? {
        guard let mark = text.firstIndex(of: "=") else { return nil }
        let (name, value) = (String(text[..<mark]), String(text[text.index(after: mark)...]))
        let context = SearchCondition.Context(now: Date(timeIntervalSince1970: 1_700_000_000))
        guard let condition = try? SearchCondition(name, value: value, of: type, in: context) else { return nil }
        let predicate = try SearchPredicate(condition, terms: StoredTerms(transaction: transaction))
        let expected = stored.filter { condition.matches($0.values) }.map(\.id)
        // As the condition that finds records, and as one that is checked for each record.
        for isFinding in [true, false] {
            let asked = predicate.condition(type: type, isFinding: isFinding)
            let rows = try transaction.query(
                "SELECT r.id FROM record r WHERE r.type = ? AND r.deleted = 0 AND " + asked.sql + " ORDER BY r.number",
                [SQLValue(type)] + asked.parameters)
            let found = try rows.map { try $0.text("id") }
            #expect(found == expected, "\(type)?\(text): \(asked.sql)")
        }
        return expected.count
    }

    /// Returns several searches for a value.
    private func searches(
        _ entry: SearchValues.Entry, tree: ParameterPathTrie, random: inout Seeded
    ) -> [String] {
        let code = tree.parameters[entry.parameter].code
        var texts: [String] = []
        if let (modifier, text) = SearchedText.written(entry.value) { texts.append("\(code)\(modifier)=\(text)") }
        func some<T>(_ all: [T]) -> [T] { Array(all.shuffled(using: &random).prefix(2)) }
        switch entry.value {
        case .token(let token):
            guard let own = token.code else { break }
            texts.append("\(code)=\(SearchedText.escaped(own))")
            texts.append("\(code):not=\(SearchedText.escaped(own))")
            texts.append("\(code)=|\(SearchedText.escaped(own))")
            texts.append("\(code):below=\(SearchedText.escaped(own))")
            if let system = token.system { texts.append("\(code)=\(SearchedText.escaped(system))|") }
            if let text = token.text { texts.append("\(code):text=\(SearchedText.escaped(String(text.prefix(3))))") }
            for type in token.types {
                let parts = [type.system, type.code, own].compactMap { $0.map(SearchedText.escaped) }
                texts.append("\(code):of-type=\(parts.joined(separator: "|"))")
            }
        case .string(let string):
            texts.append("\(code)=\(SearchedText.escaped(String(string.folded.prefix(3))))")
            texts.append("\(code):exact=\(SearchedText.escaped(string.exact))")
            texts.append("\(code):contains=\(SearchedText.escaped(String(string.folded.dropFirst().prefix(4))))")
        case .date(let period):
            guard period.low != .min else { break }
            let time = DateTime(Date(timeIntervalSince1970: Double(period.low) / 1_000)).text
            for prefix in some(SearchPrefix.allCases) {
                for length in [4, 7, 10] { texts.append("\(code)=\(prefix.rawValue)\(time.prefix(length))") }
            }
        case .number(let number):
            guard let low = number.low?.text(digits: 30) else { break }
            for prefix in SearchPrefix.allCases { texts.append("\(code)=\(prefix.rawValue)\(low)") }
        case .quantity(let quantity):
            guard let low = quantity.number.low?.text(digits: 30) else { break }
            for prefix in some(SearchPrefix.allCases) {
                texts.append("\(code)=\(prefix.rawValue)\(low)")
                guard let unit = quantity.code, let system = quantity.system else { continue }
                texts.append("\(code)=\(prefix.rawValue)\(low)||\(unit)")
                texts.append("\(code)=\(prefix.rawValue)\(low)|\(system)|\(unit)")
                texts.append("\(code)=\(prefix.rawValue)1|\(system)|m\(unit)")
            }
        case .reference(let reference):
            guard let id = reference.id else { break }
            texts.append("\(code)=\(id)")
            if let type = reference.type { texts.append("\(code):\(type)=\(id)") }
        case .uri(let uri):
            texts.append("\(code):below=\(SearchedText.escaped(String(uri.prefix(18))))")
            texts.append("\(code):above=\(SearchedText.escaped(uri))/more")
        case .composite: break
        }
        return texts
    }

    private func store(
        _ resources: [Resource], in database: any SQLDatabase
    ) async throws -> [String: [Stored]] {
        try await database.write { transaction in
            var stored: [String: [Stored]] = [:]
            var writer = try SearchEntryWriter(in: transaction)
            for (index, resource) in resources.enumerated() {
                guard let id = resource.id, let values = SearchValues(indexing: resource),
                    let layout = SearchLayout.of(resource.resourceType),
                    stored[resource.resourceType]?.contains(where: { $0.id == id }) != true
                else { continue }
                let number = Int64(index + 1)
                let subject = SearchIndex.subject(of: resource, id: id)
                let entries = SearchEntries(values, layout, subject: subject)
                try transaction.execute(
                    """
                    INSERT INTO record (number, type, id, address_digest, version, subject, updated_ms, deleted, date_low, date_high)
                    VALUES (?, ?, ?, ?, 1, ?, ?, 0, ?, ?)
                    """,
                    [
                        SQLValue(number), SQLValue(resource.resourceType), SQLValue(id),
                        RecordKey.value(type: resource.resourceType, id: id), SQLValue(subject),
                        SQLValue(0), SQLValue(entries.time?.low), SQLValue(entries.time?.high),
                    ])
                try writer.add(entries.entries, number: number)
                stored[resource.resourceType, default: []].append(
                    Stored(number: number, id: id, values: values, subject: subject))
            }
            try writer.finish()
            return stored
        }
    }

    /// Creates a store with the tables of the entries.
    private func withSearchTables(
        on engine: TestEngine, _ body: (any SQLDatabase) async throws -> Void
    ) async throws {
        try await withTemporaryDatabase([.baseline(of: "records", RecordsSchema.sections)], on: engine, body)
    }
}

/// The layouts give for every parameter of R4 the location of its values.
struct SearchLayoutTests {
    @Test func parametersCoveredByOthersHaveNoEntries() throws {
        let layout = try #require(SearchLayout.of("Observation"))
        let number = layout.tree.parameters.enumerated().reduce(into: [String: Int]()) {
            $0[$1.element.code] = $1.offset
        }
        let locations = number.mapValues { layout.locations[$0] }
        let (code, component) = (try #require(number["code"]), try #require(number["component-code"]))
        let value = try #require(number["value-quantity"])
        #expect(locations["_id"] == .id && locations["_lastUpdated"] == .lastUpdated)
        #expect(locations["subject"] == .subject && locations["patient"] == .subject && locations["date"] == .time)
        #expect(locations["code"] == .entries && locations["component-code"] == .entries)
        #expect(locations["combo-code"] == .union([code, component].sorted()))
        #expect(locations["code-value-quantity"] == .composite([.together([.parameter(code), .parameter(value)])]))
        guard case .composite(let ways)? = locations["combo-code-value-quantity"] else {
            Issue.record("no composite")
            return
        }
        #expect(ways.count == 2 && ways.contains(.together([.parameter(code), .parameter(value)])))
    }

    @Test func storedComponentsAreNeitherTextsNorTimes() throws {
        for type in TypeModel.r4.resourceTypes {
            guard let layout = SearchLayout.of(type) else { continue }
            for (parameter, location) in zip(layout.tree.parameters, layout.locations) {
                guard case .composite(let ways) = location else { continue }
                #expect(!ways.isEmpty, "\(type) \(parameter.code)")
                for case .parts(let number) in ways {
                    let kinds = layout.tree.parameters[number].components.compactMap {
                        SearchParameterTable.r4.parameter(id: $0.id)?.kind
                    }
                    // Parameters with texts are combined.
                    #expect(!kinds.contains(.string) && !kinds.contains(.date), "\(type) \(parameter.code)")
                }
            }
        }
    }
}
