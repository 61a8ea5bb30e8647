import Core

extension JMESPathEvaluator {
    /// What elements are ordered by.
    private enum Keys {
        case numbers([JSONNumber])
        case texts([String])

        func precedes(_ first: Int, _ second: Int) -> Bool {
            switch self {
            case .numbers(let numbers): JSONNumber.order(numbers[first], numbers[second]) < 0
            // The order of code points is that of UTF-8's bytes.
            case .texts(let texts): texts[first].utf8.lexicographicallyPrecedes(texts[second].utf8)
            }
        }
    }

    /// `sort`, `max`, `min` and their kin, by a part of the elements. Equal ones stay in their order, and of several
    /// greatest or least the first counts.
    mutating func ordered(
        _ function: JMESPathFunction, _ elements: [JSON], by reference: JMESPathNode
    ) throws(JMESPathError) -> JSON {
        guard let keys = try keys(function, elements, reference) else {
            return function == .sort || function == .sortBy ? .array([]) : .null
        }
        var best = 0
        switch function {
        case .sort, .sortBy:
            let places = elements.indices.sorted { first, second in
                keys.precedes(first, second) || (first < second && !keys.precedes(second, first))
            }
            return .array(places.map { elements[$0] })
        case .max, .maxBy: for index in elements.indices where keys.precedes(best, index) { best = index }
        default: for index in elements.indices where keys.precedes(index, best) { best = index }
        }
        return elements[best]
    }

    /// The keys of the elements, all numbers or all texts; nil for no elements. Ordering by them is paid for.
    private mutating func keys(
        _ function: JMESPathFunction, _ elements: [JSON], _ reference: JMESPathNode
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
            default: throw refusal(function, "numbers alone or texts alone")
            }
            guard numbers.isEmpty || texts.isEmpty else { throw refusal(function, "numbers alone or texts alone") }
        }
        let isSorting = function == .sort || function == .sortBy
        try spend(isSorting ? cost * (Int.bitWidth - elements.count.leadingZeroBitCount) : cost)
        return texts.isEmpty ? .numbers(numbers) : .texts(texts)
    }
}
