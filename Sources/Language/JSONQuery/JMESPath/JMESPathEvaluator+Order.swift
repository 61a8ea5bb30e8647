import Core

extension JMESPathEvaluator {
    /// The keys by which elements are ordered.
    private enum Keys {
        /// Integers of one word, as nearly all numbers are.
        case integers([Int])
        case numbers([JSONNumber])
        /// ASCII texts, which Swift orders by their bytes.
        case ascii([String])
        case texts([String])

        func precedes(_ first: Int, _ second: Int) -> Bool {
            switch self {
            case .integers(let integers): integers[first] < integers[second]
            case .numbers(let numbers): JSONNumber.order(numbers[first], numbers[second]) < 0
            case .ascii(let texts): texts[first] < texts[second]
            // The order of code points is the order of the bytes in UTF-8.
            case .texts(let texts): texts[first].utf8.lexicographicallyPrecedes(texts[second].utf8)
            }
        }
    }

    /// `sort`, `max`, `min` and the functions of the same kind, by a part of the elements. Sorting is stable, and of
    /// several equal maxima or minima the first is returned.
    mutating func ordered(
        _ function: JMESPathFunction, _ elements: [JSON], by reference: JMESPathNode
    ) throws(JMESPathError) -> JSON {
        guard let keys = try keys(function, of: elements, by: reference) else {
            return function == .sort || function == .sortBy ? .array([]) : .null
        }
        var best = 0
        switch function {
        case .sort, .sortBy:
            // Swift's sort is stable.
            let indices = elements.indices.sorted { keys.precedes($0, $1) }
            return .array(indices.map { elements[$0] })
        case .max, .maxBy: for index in elements.indices where keys.precedes(best, index) { best = index }
        default: for index in elements.indices where keys.precedes(index, best) { best = index }
        }
        return elements[best]
    }

    /// Returns the keys of the elements, which are all numbers or all texts; nil for no elements. Also spends the steps
    /// for ordering by them.
    private mutating func keys(
        _ function: JMESPathFunction, of elements: [JSON], by reference: JMESPathNode
    ) throws(JMESPathError) -> Keys? {
        guard !elements.isEmpty else { return nil }
        var numbers: [JSONNumber] = []
        var texts: [String] = []
        var cost = 0
        for element in elements {
            switch try value(of: reference, element) {
            case .number(let number):
                numbers.append(number)
                cost += 1 + number.cost
            case .string(let text):
                texts.append(text)
                cost += 1 + text.utf8.count / 16
            default: throw refusal(function, "only numbers or only texts")
            }
            guard numbers.isEmpty || texts.isEmpty else { throw refusal(function, "only numbers or only texts") }
        }
        let isSorting = function == .sort || function == .sortBy
        try spend(isSorting ? cost * (Int.bitWidth - elements.count.leadingZeroBitCount) : cost)
        if texts.isEmpty {
            let integers = numbers.compactMap(\.integer)
            return integers.count == numbers.count ? .integers(integers) : .numbers(numbers)
        }
        return texts.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } } ? .ascii(texts) : .texts(texts)
    }
}
