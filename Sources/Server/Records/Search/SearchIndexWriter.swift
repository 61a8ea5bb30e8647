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

    /// Adds the tokens of the resource with a number, each once.
    mutating func add(_ tokens: some Collection<SearchIndex.Token>, type: String, number: Int64) throws {
        for token in tokens {
            let isOwn = token.isOfItsOwn
            let entry = try vocabulary.number(
                of: SearchVocabulary.Entry(
                    type: type, parameter: token.parameter, system: token.system, code: isOwn ? "" : token.code))
            if isOwn {
                try identifiers.add(
                    IdentifierRow(number: number, system: entry, value: SearchIndex.print(of: token.code)))
            } else {
                try codes.add(CodeRow(number: number, code: entry))
            }
        }
    }

    /// Puts the tokens of a resource's new version in the place of those it had, which are written (``flush()``).
    mutating func replace(_ tokens: some Collection<SearchIndex.Token>, type: String, number: Int64) throws {
        let its = [SQLValue(number)]
        former.formUnion(try SearchVocabulary.numbers(of: number, in: transaction))
        for table in ["record_code", "record_identifier"] {
            try transaction.execute("DELETE FROM \(table) WHERE number = ?", its)
        }
        try add(tokens, type: type, number: number)
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
    let value: [UInt8]

    static let insertion = SQLInsertion<IdentifierRow, Void>(
        into: "record_identifier",
        columns: [
            SQLColumn("number") { .integer($0.number) },
            SQLColumn("system") { .integer($0.system) },
            SQLColumn("value") { .blob(Data($0.value)) },
        ])
}
