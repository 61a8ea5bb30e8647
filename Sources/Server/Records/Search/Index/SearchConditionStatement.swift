import Storage

/// A search condition as SQL about the row `r` of a record of the condition's type. Names and operators are ours; every
/// value goes through a parameter.
struct SearchConditionStatement {
    let condition: String
    let parameters: [SQLValue]

    /// - Throws: what the terms throw; ``SearchConditionError``.
    init(_ asked: SearchCondition, terms: any SearchTerms) throws {
        let found = try SearchPredicate(asked, terms: terms).condition(type: asked.type, isFinding: true)
        condition = found.sql
        parameters = found.parameters
    }
}
