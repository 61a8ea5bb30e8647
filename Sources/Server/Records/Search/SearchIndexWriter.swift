import Foundation
import Storage

/// Writes what search finds resources by: an entry for each of their tokens.
///
/// It lives inside one transaction.
struct SearchIndexWriter {
    private var vocabulary: SearchVocabulary
    private var codes: SQLInserter<CodeRow>
    private var identifiers: SQLInserter<IdentifierRow>

    init(in transaction: any SQLTransaction) throws {
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

    /// Writes what waits to be written together.
    mutating func finish() throws {
        try codes.flush()
        try identifiers.flush()
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
