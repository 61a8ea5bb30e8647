import FHIR

/// The order of what a search finds (<https://hl7.org/fhir/R4/search.html#sort>).
///
/// What has several values stands by the least of them, where the order runs down by the greatest; what has none comes last.
/// Periods stand by their begin, quantities by their number as it is written, texts and codes by their first characters. What
/// is equal stands in the order in which the server got it.
struct SearchOrder: Sendable, Hashable {
    struct Key: Sendable, Hashable {
        /// The code of the parameter.
        let code: String
        let isDescending: Bool
    }

    /// What the values of a key are to the store.
    enum Kind: Sendable, Hashable { case integer, real, text }

    let keys: [Key]

    static let none = SearchOrder(keys: [])

    /// So many keys may an order have.
    static let mostKeys = 5
    /// So many characters of a text count: the place of a page carries them.
    static let longestText = 50

    init(keys: [Key]) { self.keys = keys }

    /// Reads `_sort` for records of these types, which must all have the parameters.
    ///
    /// - Throws: ``SearchConditionError``; `parameter-unknown` where a type does not have a parameter.
    init(_ text: String, of types: [String]) throws(SearchConditionError) {
        var keys: [Key] = []
        for part in text.split(separator: ",") {
            let isDescending = part.hasPrefix("-")
            let name = String(isDescending ? part.dropFirst() : part)
            guard !name.contains(":") else { throw .unknownModifier("_sort") }
            var kinds: Set<Kind> = []
            for type in types {
                guard let parameter = SearchCriterionReader.parameter(SearchAlias.published(name, of: type), of: type)
                else { throw .unknownParameter(type) }
                guard let kind = SearchOrder.kind(of: parameter) else { throw .unsorted(parameter.code) }
                kinds.insert(kind)
            }
            guard kinds.count <= 1 else { throw .unsorted(name) }
            // A second time it says nothing.
            guard !keys.contains(where: { $0.code == name }) else { continue }
            keys.append(Key(code: name, isDescending: isDescending))
        }
        guard keys.count <= SearchOrder.mostKeys else { throw .tooManyKeys(SearchOrder.mostKeys) }
        self.keys = keys
    }

    /// What the values of the keys are; the same in all types that the order was read for.
    func kinds(of type: String) -> [Kind] {
        keys.compactMap { key in
            SearchCriterionReader.parameter(SearchAlias.published(key.code, of: type), of: type).flatMap(Self.kind)
        }
    }

    /// nil for what has no order: of identifiers the index has prints alone.
    static func kind(of parameter: SearchParameterTable.Parameter) -> Kind? {
        switch parameter.kind {
        case .date: .integer
        case .number, .quantity: .real
        case .string, .reference, .uri: .text
        case .token: SearchLayout.isOfItsOwn(parameter.code) ? nil : .text
        default: nil
        }
    }
}

extension SearchConditionError {
    static func unsorted(_ parameter: String) -> SearchConditionError {
        SearchConditionError(
            code: "sort-unsupported", message: "Nothing is sorted by \(parameter); see /fhir/metadata for others.")
    }

    static func tooManyKeys(_ most: Int) -> SearchConditionError {
        SearchConditionError(code: "too-costly", message: "_sort takes at most \(most) parameters.")
    }
}
