import Storage

/// A fact's value as the columns of `observation_fact` hold it.
struct FactColumns {
    /// `valtype_cd`
    let type: SQLValue
    /// `tval_char`
    var text = SQLValue.null
    /// `nval_num`
    var number = SQLValue.null
    /// `units_cd`
    var units: SQLValue = "@"
    /// `observation_blob`
    var blob = SQLValue.null

    init(_ value: FactValue) {
        switch value {
        case .numeric(let value, let comparator, let unit):
            type = "N"
            text = SQLValue(comparator)
            number = .real(value)
            units = SQLValue(unit ?? "@")
        case .text(let value):
            type = "T"
            text = SQLValue(value)
        case .blob(let value):
            type = "B"
            blob = SQLValue(value)
        }
    }
}
