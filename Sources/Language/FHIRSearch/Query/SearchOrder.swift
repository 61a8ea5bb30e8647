import FHIR

/// The order of a search (<https://hl7.org/fhir/R4/search.html#sort>).
///
/// A record with several values is sorted by the least of them, in descending order by the greatest. Records without a
/// value are last. Periods are sorted by their start, quantities by their number as written, texts and codes by their
/// first characters. Equal records are in the order in which the server stored them.
package struct SearchOrder: Sendable, Hashable {
    package struct Key: Sendable, Hashable {
        /// The code of the parameter.
        package let code: String
        package let isDescending: Bool
    }

    /// The storage class of a key's values.
    package enum Kind: Sendable, Hashable { case integer, real, text }

    package let keys: [Key]

    package static let none = SearchOrder(keys: [])

    /// Maximum number of `_sort` keys.
    static let maximumKeys = 5
    /// Maximum number of characters of a text that are compared: the cursor of a page contains them.
    package static let longestText = 50

    package init(keys: [Key]) { self.keys = keys }

    /// Reads `_sort` for records of some types, which must all have the parameters.
    ///
    /// - Throws: ``SearchConditionError``; `parameter-unknown` where a type does not have a parameter.
    package init(_ text: String, of types: [String]) throws(SearchConditionError) {
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
            // A repeated key has no effect.
            guard !keys.contains(where: { $0.code == name }) else { continue }
            keys.append(Key(code: name, isDescending: isDescending))
        }
        guard keys.count <= SearchOrder.maximumKeys else { throw .tooManyKeys(SearchOrder.maximumKeys) }
        self.keys = keys
    }

    /// Returns the storage classes of the keys; they are the same for all types of the search.
    package func kinds(of type: String) -> [Kind] {
        keys.compactMap { key in
            SearchCriterionReader.parameter(SearchAlias.published(key.code, of: type), of: type).flatMap(Self.kind)
        }
    }

    /// Returns the storage class of a parameter's values; nil where they have no order. The index contains only digests
    /// of identifiers.
    package static func kind(of parameter: SearchParameterTable.Parameter) -> Kind? {
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
            code: "sort-unsupported", message: "Sorting by \(parameter) is unsupported; see /fhir/metadata for others.")
    }

    static func tooManyKeys(_ limit: Int) -> SearchConditionError {
        SearchConditionError(code: "too-costly", message: "_sort may have up to \(limit) parameters.")
    }
}
