import FHIRSearch
import Foundation
import Storage

/// Writes the search entries of records.
///
/// An instance is used inside one transaction.
struct SearchEntryWriter {
    private let transaction: any SQLTransaction
    private var numbers: SearchTermNumbers
    /// The terms of the previous record with their numbers, by the index of the entry.
    private var latest: [(term: SearchTerm, number: Int64)] = []
    private var inserters = Inserters()
    /// The terms of records that have a newer version now.
    private var former: Set<Int64> = []

    /// Each inserter is made for the first row of its table. Nearly all loads need only two.
    private struct Inserters {
        var terms: SQLInserter<Row>?
        var keys: SQLInserter<Row>?
        var texts: SQLInserter<Row>?
        var times: SQLInserter<Row>?
        var numbers: SQLInserter<Row>?
        var parts: SQLInserter<Row>?
    }

    init(in transaction: any SQLTransaction) throws {
        self.transaction = transaction
        numbers = SearchTermNumbers(in: transaction)
    }

    /// Adds the entries of the record with a number; the entries have no duplicates.
    mutating func add(_ entries: [SearchEntry], number: Int64) throws {
        // The key of numbers and parts contains their index in the record.
        for (index, entry) in entries.enumerated() {
            let term = try termNumber(of: entry.term, at: index)
            func row(_ value: Row.Value) -> Row { Row(number: number, index: index, term: term, value: value) }
            switch entry {
            case .term: try Self.add(row(.none), to: &inserters.terms, as: Row.terms, in: transaction)
            case .key(_, let key): try Self.add(row(.key(key)), to: &inserters.keys, as: Row.keys, in: transaction)
            case .text(_, let folded, let exact):
                try Self.add(row(.text(folded, exact)), to: &inserters.texts, as: Row.texts, in: transaction)
            case .time(_, let period):
                try Self.add(row(.time(period)), to: &inserters.times, as: Row.times, in: transaction)
            case .number(_, let bounds):
                try Self.add(row(.bounds(bounds)), to: &inserters.numbers, as: Row.numbers, in: transaction)
            case .part(let part, _, let bounds):
                try Self.add(row(.part(part, bounds)), to: &inserters.parts, as: Row.parts, in: transaction)
            }
        }
    }

    /// Returns the number of a term. Similar resources follow each other, so the term is usually that of the previous
    /// record.
    private mutating func termNumber(of term: SearchTerm, at index: Int) throws -> Int64 {
        if index < latest.count, latest[index].term == term {
            // The next records share this instance, which is cheaper to compare.
            latest[index].term = term
            return latest[index].number
        }
        let found = (term: term, number: try numbers.number(of: term))
        if index < latest.count {
            latest[index] = found
        } else if index == latest.count {
            latest.append(found)
        }
        return found.number
    }

    private static func add(
        _ row: Row, to inserter: inout SQLInserter<Row>?, as insertion: SQLInsertion<Row, Void>,
        in transaction: any SQLTransaction
    ) throws {
        if try inserter?.add(row) != nil { return }
        var made = try transaction.inserter(insertion)
        try made.add(row)
        inserter = made
    }

    /// Replaces the entries of a record by those of its new version. The old entries must be written (``flush()``).
    mutating func replace(_ entries: [SearchEntry], number: Int64) throws {
        former.formUnion(try SearchTermNumbers.numbers(of: number, in: transaction))
        for (table, _) in RecordsSchema.searchEntryTables {
            try transaction.execute("DELETE FROM \(table) WHERE number = ?", [SQLValue(number)])
        }
        try add(entries, number: number)
    }

    /// Writes the buffered rows.
    mutating func flush() throws {
        try inserters.terms?.flush()
        try inserters.keys?.flush()
        try inserters.texts?.flush()
        try inserters.times?.flush()
        try inserters.numbers?.flush()
        try inserters.parts?.flush()
    }

    /// Finishes the writing. Deletes the terms that no record uses any more.
    mutating func finish() throws {
        try flush()
        guard !former.isEmpty else { return }
        _ = try SearchTermNumbers.deleteUnused(among: former, in: transaction)
        former = []
        latest = []
        numbers = SearchTermNumbers(in: transaction)
    }
}

extension SearchEntryWriter {
    /// An entry with the numbers of its record and its term. It does not contain the term itself, because thousands of
    /// rows are buffered.
    fileprivate struct Row {
        let number: Int64
        let index: Int
        let term: Int64
        let value: Value

        /// The values of an entry in addition to its term.
        enum Value {
            case none
            case key(Data)
            case text(String, String)
            case time(SearchPeriod)
            case bounds(SearchBounds)
            case part(Int, SearchBounds?)
        }

        var bounds: SearchBounds? {
            switch value {
            case .bounds(let bounds): bounds
            case .part(_, let bounds): bounds
            default: nil
            }
        }

        var period: SearchPeriod? { if case .time(let period) = value { period } else { nil } }

        static let shared = [SQLColumn<Row>("number") { .integer($0.number) }, SQLColumn("term") { .integer($0.term) }]
        static let bounds = [
            SQLColumn<Row>("low") { SQLValue($0.bounds?.low) }, SQLColumn("high") { SQLValue($0.bounds?.high) },
            SQLColumn("implicit_low") { SQLValue($0.bounds?.implicitLow) },
            SQLColumn("implicit_high") { SQLValue($0.bounds?.implicitHigh) },
        ]
        static let index = SQLColumn<Row>("place") { .integer(Int64($0.index)) }

        static let terms = SQLInsertion<Row, Void>(into: "record_term", columns: shared)
        static let keys = SQLInsertion<Row, Void>(
            into: "record_print",
            columns: shared + [
                SQLColumn("print") { if case .key(let key) = $0.value { .blob(key) } else { .null } }
            ])
        static let texts = SQLInsertion<Row, Void>(
            into: "record_text",
            columns: shared + [
                SQLColumn("folded") { if case .text(let folded, _) = $0.value { .text(folded) } else { .null } },
                SQLColumn("exact") { if case .text(_, let exact) = $0.value { .text(exact) } else { .null } },
            ])
        static let times = SQLInsertion<Row, Void>(
            into: "record_time",
            columns: shared + [
                SQLColumn("low") { SQLValue($0.period?.low) }, SQLColumn("high") { SQLValue($0.period?.high) },
            ])
        static let numbers = SQLInsertion<Row, Void>(into: "record_number", columns: shared + [index] + bounds)
        static let parts = SQLInsertion<Row, Void>(
            into: "record_part",
            columns: shared + [
                index,
                SQLColumn("part") { if case .part(let part, _) = $0.value { .integer(Int64(part)) } else { .null } },
            ] + bounds)
    }
}
