import Foundation
import Storage

/// Writes what search finds resources by: an entry for each of their tokens.
///
/// It lives inside one transaction.
struct SearchIndexWriter {
    private let transaction: any SQLTransaction
    private var vocabulary: SearchVocabulary
    private var codes: SQLInserter<CodeRow>
    private var identifiers: SQLInserter<IdentifierRow>
    /// What resources were found by that have another version now.
    private var former: Set<Int64> = []

    init(in transaction: any SQLTransaction) throws {
        self.transaction = transaction
        vocabulary = SearchVocabulary(in: transaction)
        codes = try transaction.inserter(CodeRow.insertion)
        identifiers = try transaction.inserter(IdentifierRow.insertion)
    }

    /// Adds the entries of the resource with a number, each once.
    mutating func add(_ entries: [SearchIndexEntry], number: Int64) throws {
        for entry in entries {
            let place = try vocabulary.number(of: entry.vocabulary)
            if let print = entry.print {
                try identifiers.add(IdentifierRow(number: number, system: place, value: print))
            } else {
                try codes.add(CodeRow(number: number, code: place))
            }
        }
    }

    /// Puts the entries of a resource's new version in the place of those it had, which are written (``flush()``).
    mutating func replace(_ entries: [SearchIndexEntry], number: Int64) throws {
        let its = [SQLValue(number)]
        former.formUnion(try SearchVocabulary.numbers(of: number, in: transaction))
        for table in ["record_code", "record_identifier"] {
            try transaction.execute("DELETE FROM \(table) WHERE number = ?", its)
        }
        try add(entries, number: number)
    }

    /// Writes what waits to be written together.
    mutating func flush() throws {
        try codes.flush()
        try identifiers.flush()
    }

    /// Ends the writing: no code is left that no resource has any more.
    mutating func finish() throws {
        try flush()
        guard !former.isEmpty else { return }
        _ = try SearchVocabulary.deleteUnused(among: former, in: transaction)
        former = []
        vocabulary = SearchVocabulary(in: transaction)
    }
}

/// A token of a resource as the index has it. It is made without the database (``NewRecord``).
struct SearchIndexEntry {
    /// What is numbered of it.
    let vocabulary: SearchVocabulary.Entry
    /// The print of a value that each resource has another one of (``SearchIndex/Token/isOfItsOwn``); nil for all others.
    let print: Data?

    init(_ token: SearchIndex.Token, type: String) {
        let isOwn = token.isOfItsOwn
        vocabulary = SearchVocabulary.Entry(
            type: type, parameter: token.parameter, system: token.system, code: isOwn ? "" : token.code)
        print = isOwn ? Data(SearchIndex.print(of: token.code)) : nil
    }
}

/// A code that search finds a resource by, as `record_code` has it.
private struct CodeRow {
    let number: Int64
    let code: Int64

    static let insertion = SQLInsertion<CodeRow, Void>(
        into: "record_code",
        columns: [SQLColumn("number") { .integer($0.number) }, SQLColumn("code") { .integer($0.code) }])
}

/// A value of its own that search finds a resource by, as `record_identifier` has it.
private struct IdentifierRow {
    let number: Int64
    let system: Int64
    let value: Data

    static let insertion = SQLInsertion<IdentifierRow, Void>(
        into: "record_identifier",
        columns: [
            SQLColumn("number") { .integer($0.number) },
            SQLColumn("system") { .integer($0.system) },
            SQLColumn("value") { .blob($0.value) },
        ])
}
